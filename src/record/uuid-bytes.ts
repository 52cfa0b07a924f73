/**
 * Reads the 16 bytes of the uuid whose 36 characters begin at `at`, in lower case, into the first four of `words`: each has
 * four bytes, the first lowest. For lines that posthaul wrote: nothing is checked (`readUuid` of uuid.ts checks). Branches
 * on digits, which no processor can predict, would take four times as long.
 */
export function readUuidBytes(bytes: Uint8Array, at: number, words: Uint32Array): void {
  words[0] = pairOf(bytes, at) | (pairOf(bytes, at + 4) << 16)
  words[1] = pairOf(bytes, at + 9) | (pairOf(bytes, at + 14) << 16)
  words[2] = pairOf(bytes, at + 19) | (pairOf(bytes, at + 24) << 16)
  words[3] = pairOf(bytes, at + 28) | (pairOf(bytes, at + 32) << 16)
}

/** The two bytes that four hex digits spell, the first lowest. */
function pairOf(bytes: Uint8Array, at: number): number {
  const text = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
  // A letter has bit 6 set, and its low bits count from 1: `a` is 0x61.
  const digits = (text & 0x0f0f0f0f) + Math.imul((text >>> 6) & 0x01010101, 9)
  const pairs = ((digits & 0x000f000f) << 4) | ((digits >>> 8) & 0x000f000f)
  return (pairs & 0xff) | (pairs >>> 8)
}
