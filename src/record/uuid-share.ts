/** Indexes of the pairs of hex digits in a uuid's 36 characters, each half from its last byte to its first. */
const PAIRS = [16, 14, 11, 9, 6, 4, 2, 0, 34, 32, 30, 28, 26, 24, 21, 19]

/**
 * What the two halves of a uuid, read as in a fingerprint and added, leave when divided by `of`. It cuts a set of any
 * uuids into even shares, which the service can compute too. `at` is the index of the uuid's first character, in lower
 * case.
 */
export function uuidShare(bytes: Uint8Array, at: number, of: number): number {
  let total = 0
  for (let half = 0; half < 16; half += 8) {
    let rest = 0
    for (let i = half; i < half + 8; i++) {
      const pair = at + PAIRS[i]!
      rest = (rest * 256 + nibble(bytes[pair]!) * 16 + nibble(bytes[pair + 1]!)) % of
    }
    total += rest
  }
  return total % of
}

function nibble(code: number): number {
  return code <= 0x39 ? code - 0x30 : code - 0x57
}
