// SHA-1 (FIPS 180-4) by hand: every event without an id of its own costs one hash of one or two blocks, and a call
// into node:crypto costs more than those blocks do.

const schedule = new Int32Array(80)
const state = new Int32Array(5)

/**
 * SHA-1 of `bytes[0, length)`; the 20 bytes go to `digest`. Writes padding behind `length`: `bytes` must have at
 * least 72 bytes of room there.
 */
export function sha1(bytes: Uint8Array, length: number, digest: Uint8Array): void {
  const total = (length + 9 + 63) & ~63
  // By hand: a call to fill costs more than so few bytes.
  for (let i = length; i < total; i++) bytes[i] = 0
  bytes[length] = 0x80
  const bits = length * 8
  const high = Math.floor(bits / 0x100000000)
  for (let i = 0; i < 4; i++) {
    bytes[total - 5 - i] = high >>> (8 * i)
    bytes[total - 1 - i] = bits >>> (8 * i)
  }
  state[0] = 0x67452301
  state[1] = 0xefcdab89 | 0
  state[2] = 0x98badcfe | 0
  state[3] = 0x10325476
  state[4] = 0xc3d2e1f0 | 0
  for (let at = 0; at < total; at += 64) compress(bytes, at)
  for (let i = 0; i < 20; i++) digest[i] = state[i >> 2]! >>> (24 - 8 * (i & 3))
}

function compress(bytes: Uint8Array, at: number): void {
  const w = schedule
  for (let i = 0, p = at; i < 16; i++, p += 4) {
    w[i] = (bytes[p]! << 24) | (bytes[p + 1]! << 16) | (bytes[p + 2]! << 8) | bytes[p + 3]!
  }
  for (let i = 16; i < 80; i++) {
    const x = w[i - 3]! ^ w[i - 8]! ^ w[i - 14]! ^ w[i - 16]!
    w[i] = (x << 1) | (x >>> 31)
  }
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  // Four loops, not one that asks each time which quarter it is in.
  for (let i = 0; i < 20; i++) {
    const t = (((a << 5) | (a >>> 27)) + ((d ^ (b & (c ^ d))) + 0x5a827999) + e + w[i]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = t
  }
  for (let i = 20; i < 40; i++) {
    const t = (((a << 5) | (a >>> 27)) + ((b ^ c ^ d) + 0x6ed9eba1) + e + w[i]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = t
  }
  for (let i = 40; i < 60; i++) {
    const t = (((a << 5) | (a >>> 27)) + (((b & c) | (d & (b | c))) - 0x70e44324) + e + w[i]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = t
  }
  for (let i = 60; i < 80; i++) {
    const t = (((a << 5) | (a >>> 27)) + ((b ^ c ^ d) - 0x359d3e2a) + e + w[i]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = t
  }
  state[0] = (state[0]! + a) | 0
  state[1] = (state[1]! + b) | 0
  state[2] = (state[2]! + c) | 0
  state[3] = (state[3]! + d) | 0
  state[4] = (state[4]! + e) | 0
}
