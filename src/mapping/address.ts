const [HASH, SLASH, COLON, QUESTION, AT] = [0x23, 0x2f, 0x3a, 0x3f, 0x40]

/** Where the parts of an address are. The search begins with its question mark; a part that is not there is empty. */
export interface Address {
  hostStart: number
  hostEnd: number
  /** Up to the search. */
  pathEnd: number
  searchEnd: number
}

/**
 * Cuts `scheme://user@host/path?search#rest`, which stands at [start, end) in UTF-8, into `address`; false for other text.
 * As it was sent, not as a browser would write it: no added slash, no changed case.
 */
export function cutAddress(bytes: Buffer, start: number, end: number, address: Address): boolean {
  let i = start
  while (i < end && isOfScheme(bytes[i]!, i === start)) i++
  if (i === start || i + 3 > end) return false
  if (bytes[i] !== COLON || bytes[i + 1] !== SLASH || bytes[i + 2] !== SLASH) return false
  i += 3
  address.hostStart = i
  let isNamed = false
  for (; i < end; i++) {
    const byte = bytes[i]!
    if (byte === SLASH || byte === QUESTION || byte === HASH) break
    // Whom it is for stands before the host.
    if (byte === AT && !isNamed) {
      isNamed = true
      address.hostStart = i + 1
    }
  }
  address.hostEnd = i
  while (i < end && bytes[i] !== QUESTION && bytes[i] !== HASH) i++
  address.pathEnd = i
  while (i < end && bytes[i] !== HASH) i++
  address.searchEnd = i
  return true
}

function isOfScheme(byte: number, isFirst: boolean): boolean {
  const small = byte | 0x20
  if (small >= 0x61 && small <= 0x7a) return true
  // Digits, and + - .
  return !isFirst && ((byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e)
}
