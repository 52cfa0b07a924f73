import * as imports from './import-rows.ts'
import { configName, type Row } from './row.ts'
import * as service from './service-rows.ts'
import * as telemetry from './telemetry-rows.ts'
import * as transform from './transform-rows.ts'
import * as verify from './verify-rows.ts'

/** Every option that the configuration file or the environment has, whatever command is run. */
export const SETTINGS: readonly Row[] = [service, transform, imports, telemetry, verify]
  .flatMap((rows): Row[] => Object.values(rows))
  .filter(({ config, env }) => config !== undefined || env !== undefined)

/** Where a setting is made, if a flag was given that only the config file and the environment have: `--drain`. */
export function settingInsteadOf(flag: string): string | undefined {
  const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const found = SETTINGS.find((row) => row.flag === undefined && flag === `--${kebab(configName(row))}`)
  if (found === undefined) return undefined
  const [inner = '', outer] = found.config!.split('.').reverse()
  const example = `"${inner}": …`
  const written = outer === undefined ? `{ ${example} }` : `{ "${outer}": { ${example} } }`
  return `it is a setting: ${written} in posthaul.config.json, or ${found.env} in the environment`
}
