import { KIND, type Tape } from './tape.ts'

/** The text between two quotes of a valid JSON string; `escaped` says whether it holds a backslash. */
export function decodeText(bytes: Buffer, start: number, end: number, escaped: boolean): string {
  return escaped
    ? (JSON.parse(`"${bytes.toString('utf8', start, end)}"`) as string)
    : bytes.toString('utf8', start, end)
}

/** A string member decoded, a number or boolean as written; undefined for null and containers. */
export function valueText(tape: Tape, bytes: Buffer, index: number): string | undefined {
  const kind = tape.kind(index)
  const start = tape.start(index)
  const end = tape.end(index)
  if (kind === KIND.string) return decodeText(bytes, start + 1, end - 1, tape.escaped(index))
  if (kind === KIND.object || kind === KIND.array || kind === KIND.null) return undefined
  return bytes.toString('latin1', start, end)
}
