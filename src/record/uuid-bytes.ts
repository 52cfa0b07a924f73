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

/** The same from a view, in half the time, into four of `words` from `to` on. */
export function readUuidView(view: DataView, at: number, words: Uint32Array, to: number): void {
  words[to] = pairIn(view.getInt32(at, true)) | (pairIn(view.getInt32(at + 4, true)) << 16)
  words[to + 1] = pairIn(view.getInt32(at + 9, true)) | (pairIn(view.getInt32(at + 14, true)) << 16)
  words[to + 2] = pairIn(view.getInt32(at + 19, true)) | (pairIn(view.getInt32(at + 24, true)) << 16)
  words[to + 3] = pairIn(view.getInt32(at + 28, true)) | (pairIn(view.getInt32(at + 32, true)) << 16)
}

/** Compares two uuids, each in four words as above, in the order of their texts: less than 0 if the first one is first. */
export function compareUuids(a: Uint32Array, aAt: number, b: Uint32Array, bAt: number): number {
  for (let i = 0; i < 4; i++) {
    if (a[aAt + i] !== b[bAt + i]) return swapped(a[aAt + i]!) - swapped(b[bAt + i]!)
  }
  return 0
}

/** The text of a uuid that is in four words as above. */
export function uuidText(words: Uint32Array, at: number): string {
  const hex = [0, 1, 2, 3]
    .map((i) =>
      swapped(words[at + i]!)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** The word with its bytes in the opposite order. */
function swapped(word: number): number {
  return ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0
}

function pairOf(bytes: Uint8Array, at: number): number {
  return pairIn(bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24))
}

/** The two bytes that the four hex digits in a word spell, the first lowest. */
function pairIn(text: number): number {
  // A letter has bit 6 set, and its low bits count from 1: `a` is 0x61.
  const digits = (text & 0x0f0f0f0f) + Math.imul((text >>> 6) & 0x01010101, 9)
  const pairs = ((digits & 0x000f000f) << 4) | ((digits >>> 8) & 0x000f000f)
  return (pairs & 0xff) | (pairs >>> 8)
}
