const BACKSLASH = 0x5c

/** A JSON string, decoded. */
export function textAt(bytes: Buffer, start: number, end: number): string {
  for (let i = start + 1; i < end - 1; i++) {
    if (bytes[i] === BACKSLASH) return JSON.parse(bytes.toString('utf8', start, end)) as string
  }
  return bytes.toString('utf8', start + 1, end - 1)
}
