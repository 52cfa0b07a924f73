/** The most bytes of a name after a namespace of 16 that leave room for the padding in one block. */
export const SHORT_NAME = 39

const words = new Int32Array(80)

/**
 * The first four words of the SHA-1 (RFC 3174) of a namespace of four words and [start, end) of `bytes`, at most
 * SHORT_NAME. A third of the time of the platform's function, whose call costs more than hashing one block.
 */
export function sha1Short(
  namespace: Int32Array,
  bytes: Buffer,
  start: number,
  end: number,
  into: Int32Array,
): void {
  for (let i = 0; i < 4; i++) words[i] = namespace[i]!
  for (let i = 4; i < 15; i++) words[i] = 0
  let at = start
  let word = 4
  for (; at + 4 <= end; at += 4)
    words[word++] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
  let last = 0
  let shift = 24
  for (; at < end; at++, shift -= 8) last |= bytes[at]! << shift
  // A bit after the message, and its length in bits at the block's end.
  words[word] = last | (0x80 << shift)
  words[15] = (16 + end - start) * 8
  for (let i = 16; i < 80; i++) {
    const mix = words[i - 3]! ^ words[i - 8]! ^ words[i - 14]! ^ words[i - 16]!
    words[i] = (mix << 1) | (mix >>> 31)
  }
  let a = 0x67452301
  let b = 0xefcdab89 | 0
  let c = 0x98badcfe | 0
  let d = 0x10325476
  let e = 0xc3d2e1f0 | 0
  // The four rounds of the standard, each with its function and constant. One loop that chooses takes four times as long.
  for (let i = 0; i < 20; i++) {
    const next = (((a << 5) | (a >>> 27)) + ((b & c) | (~b & d)) + e + 0x5a827999 + words[i]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  for (let i = 20; i < 40; i++) {
    const next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0x6ed9eba1 + words[i]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  for (let i = 40; i < 60; i++) {
    const both = (b & c) | (b & d) | (c & d)
    const next = (((a << 5) | (a >>> 27)) + both + e + (0x8f1bbcdc | 0) + words[i]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  for (let i = 60; i < 80; i++) {
    const next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + (0xca62c1d6 | 0) + words[i]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  into[0] = a + 0x67452301
  into[1] = b + 0xefcdab89
  into[2] = c + 0x98badcfe
  into[3] = d + 0x10325476
}
