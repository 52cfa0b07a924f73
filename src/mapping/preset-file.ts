/** True for what names a file that holds a preset: `./acme.mjs`. Names of presets have neither dots nor slashes. */
export function isPresetFile(preset: string): boolean {
  return /[/\\]|\.[cm]?js$/.test(preset)
}
