/** A record that cannot be sent, and why. */
export interface Reject {
  /** From 1, in the input it stood in. */
  readonly line: number
  /** Byte offset of the line in that input (of the text that was packed, when it is a .gz). */
  readonly offset: number
  /** One word in snake_case, to count by. */
  readonly reason: string
  /** What is wrong, in a sentence; for a refusal of the service its own words. */
  readonly message: string
  /** The original line; null when it was too long to be held. */
  readonly record: string | null
  /** The input's name, when there are several. */
  readonly file?: string
}

const HEAD = Buffer.from('{"line":')

/** One line of a rejects file, with its line end. */
export function formatReject({ line, offset, reason, message, record, file }: Reject): string {
  return `${JSON.stringify({ line, offset, reason, message, record, ...(file !== undefined && { file }) })}\n`
}

/** Reads a line of a rejects file; undefined when it is anything else. Costs eight bytes' look on other lines. */
export function parseReject(bytes: Buffer, start: number, end: number): Reject | undefined {
  if (end - start <= HEAD.length || bytes.compare(HEAD, 0, HEAD.length, start, start + HEAD.length) !== 0)
    return
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8', start, end))
    return isReject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isReject(value: unknown): value is Reject {
  const reject = value as Partial<Record<keyof Reject, unknown>>
  return (
    Number.isSafeInteger(reject.line) &&
    Number.isSafeInteger(reject.offset) &&
    typeof reject.reason === 'string' &&
    typeof reject.message === 'string' &&
    (typeof reject.record === 'string' || reject.record === null) &&
    (reject.file === undefined || typeof reject.file === 'string')
  )
}
