import { ByteMemo } from './byte-memo.ts'

/** Texts met lately: event names, platforms, ids of users who are active now. */
const texts = new ByteMemo((bytes, start, end) => bytes.toString('utf8', start, end), {
  slots: 2048,
  longest: 48,
})

/** The text between two quotes of a valid JSON string; `escaped` says whether it holds a backslash. */
export function decodeText(bytes: Buffer, start: number, end: number, escaped: boolean): string {
  return escaped
    ? (JSON.parse(`"${bytes.toString('utf8', start, end)}"`) as string)
    : plainText(bytes, start, end)
}

/** The text of a JSON value: a string decoded, all else as it is written. */
export function textIn(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json
}

/** The same of a string, a number or a boolean; undefined for null, an object or an array. */
export function scalarText(json: string | undefined): string | undefined {
  return json === undefined || json === 'null' || /^[[{]/.test(json) ? undefined : textIn(json)
}

/**
 * UTF-8 decoded; a text met lately gives the string made then. A string used before carries its hash, which a look-up in
 * a map then needs not compute.
 */
export function plainText(bytes: Buffer, start: number, end: number): string {
  return texts.of(bytes, start, end)
}

/** The text of what stands between the quotes of a valid JSON string, with escapes or without. */
export function spelledText(bytes: Buffer, start: number, end: number): string {
  const text = plainText(bytes, start, end)
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
}
