import type { ReadCall } from './database.ts'

/**
 * The JSON of a number as the server writes it: all digits, the scale kept. Null, and counted, for NaN and infinities; another
 * text that is no number of JSON becomes a string.
 */
export function numberCell(text: string, column: string, call: Pick<ReadCall, 'notFinite'>): string | null {
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return text
  if (!/^[-+]?(?:nan|inf(?:inity)?)$/i.test(text)) return JSON.stringify(text)
  call.notFinite(column)
  return null
}

export function bytesCell(bytes: Uint8Array): string {
  return `"${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}"`
}

/** JSON as it stands. A line break can only be between its values, and would end the line. */
export function jsonCell(text: string): string {
  return text.replaceAll(/[\r\n]/g, ' ')
}
