/*
 * ClickHouse's cityHash64, of a text and of a number: what PostHog's query language can compute of an event, too. Of a text it
 * is CityHash64 in version 1.0.2, of a number the last steps of MurmurHash3 (ClickHouse calls them intHash64).
 *
 * A number of 64 bits is two words of 32 here, low word first, in a register: BigInt takes twenty times as long, and V8 keeps
 * words of 32 bits unboxed only in a typed array. Each operation leaves its result in the register at 0, `R[0]` and `R[1]`.
 */

/** Registers: where each number of 64 bits is in `R`. */
const [K0, K1, K2, K3, PAIR, MURMUR, MURMUR_TOO, SALT] = [2, 4, 6, 8, 10, 12, 14, 16] as const
const [A, B, C, D, X, Y, Z] = [18, 20, 22, 24, 26, 28, 30] as const
const [V, V2, W, W2] = [32, 34, 36, 38] as const
const R = new Int32Array(40)
new BigUint64Array(R.buffer).set(
  [
    0xc3a5c85c97cb3127n,
    0xb492b66fbe98f273n,
    0x9ae16a3b2f90404fn,
    0xc949d7c7509e6557n,
    0x9ddfea08eb382d69n,
    0xff51afd7ed558ccdn,
    0xc4ceb9fe1a85ec53n,
    0x4cf2d2baae6da887n,
  ],
  1,
)

function keep(into: number): void {
  R[into] = R[0]!
  R[into + 1] = R[1]!
}

function load(from: number): void {
  R[0] = R[from]!
  R[1] = R[from + 1]!
}

function copy(from: number, into: number): void {
  R[into] = R[from]!
  R[into + 1] = R[from + 1]!
}

/** A number of up to 32 bits. */
function small(number: number): void {
  R[0] = number
  R[1] = 0
}

function addWords(low: number, high: number): void {
  const sum = (R[0]! >>> 0) + (low >>> 0)
  R[0] = sum | 0
  R[1] = (R[1]! + high + (sum > 0xffffffff ? 1 : 0)) | 0
}

function add(register: number): void {
  addWords(R[register]!, R[register + 1]!)
}

function subtract(register: number): void {
  addWords(~R[register]!, ~R[register + 1]!)
  addWords(1, 0)
}

function xor(register: number): void {
  R[0]! ^= R[register]!
  R[1]! ^= R[register + 1]!
}

function multiply(register: number): void {
  const [one, other] = [R[0]!, R[register]!]
  const a = one & 0xffff
  const b = one >>> 16
  const c = other & 0xffff
  const d = other >>> 16
  // Sums of products of 16 bits have up to 33 bits, which a double holds.
  const mid = b * c + ((a * c) >>> 16)
  const rest = a * d + (mid & 0xffff)
  const carry = b * d + Math.floor(mid / 0x10000) + Math.floor(rest / 0x10000)
  R[1] = carry + Math.imul(R[1]!, other) + Math.imul(one, R[register + 1]!)
  R[0] = Math.imul(one, other)
}

function rotate(by: number): void {
  const swapped = by & 32
  const high = swapped ? R[0]! : R[1]!
  const low = swapped ? R[1]! : R[0]!
  const bits = by & 31
  if (bits === 0) {
    R[0] = low
    R[1] = high
    return
  }
  R[0] = (low >>> bits) | (high << (32 - bits))
  R[1] = (high >>> bits) | (low << (32 - bits))
}

/** XOR with itself, shifted right by 32 and `bits` more. */
function fold(bits: number): void {
  R[0]! ^= R[1]! >>> bits
}

/** The hash of a pair of numbers, the second of which is the result so far. */
function pairWith(first: number): void {
  const [low, high] = [R[0]!, R[1]!]
  xor(first)
  multiply(PAIR)
  fold(15)
  R[0]! ^= low
  R[1]! ^= high
  multiply(PAIR)
  fold(15)
  multiply(PAIR)
}

let view: DataView

function take(at: number): void {
  R[0] = view.getInt32(at, true)
  R[1] = view.getInt32(at + 4, true)
}

function addAt(at: number): void {
  addWords(view.getInt32(at, true), view.getInt32(at + 4, true))
}

/** Writes the hash of a text, whose UTF-8 is bytes `start` to `end` of `text`, into two words of `into`, low word first. */
export function hashText(
  text: DataView,
  start: number,
  end: number,
  into: Int32Array | Uint32Array,
  at: number,
): void {
  view = text
  const length = end - start
  if (length <= 16) hashTo16(start, length)
  else if (length <= 32) hashTo32(start, length)
  else if (length <= 64) hashTo64(start, length)
  else hashLong(start, length)
  into[at] = R[0]!
  into[at + 1] = R[1]!
}

/** Replaces the number in two words of `words` by its hash. */
export function hashNumber(words: Int32Array, at: number): void {
  R[0] = words[at]!
  R[1] = words[at + 1]!
  xor(SALT)
  fold(1)
  multiply(MURMUR)
  fold(1)
  multiply(MURMUR_TOO)
  fold(1)
  words[at] = R[0]!
  words[at + 1] = R[1]!
}

function hashTo16(at: number, length: number): void {
  if (length > 8) {
    take(at)
    keep(A)
    take(at + length - 8)
    keep(B)
    addWords(length, 0)
    rotate(length)
    pairWith(A)
    xor(B)
  } else if (length >= 4) {
    const first = view.getUint32(at, true)
    R[0] = first << 3
    R[1] = first >>> 29
    addWords(length, 0)
    keep(A)
    small(view.getInt32(at + length - 4, true))
    pairWith(A)
  } else if (length > 0) {
    small(view.getUint8(at) + (view.getUint8(at + (length >> 1)) << 8))
    multiply(K2)
    keep(A)
    small(length + (view.getUint8(at + length - 1) << 2))
    multiply(K3)
    xor(A)
    fold(15)
    multiply(K2)
  } else load(K2)
}

function hashTo32(at: number, length: number): void {
  take(at)
  multiply(K1)
  keep(A)
  take(at + 8)
  keep(B)
  take(at + length - 8)
  multiply(K2)
  keep(C)
  take(at + length - 16)
  multiply(K0)
  keep(D)
  load(A)
  subtract(B)
  rotate(43)
  add(D)
  keep(D)
  load(C)
  rotate(30)
  add(D)
  keep(D)
  load(B)
  xor(K3)
  rotate(20)
  add(A)
  subtract(C)
  addWords(length, 0)
  pairWith(D)
}

/** Half of the work for 33 to 64 bytes: of 16 bytes at `at` and 16 at `to`. It begins with what is in A and Z. */
function mixHalf(at: number, to: number, sum: number, second: number): void {
  load(A)
  add(Z)
  rotate(52)
  keep(B)
  load(A)
  rotate(37)
  keep(C)
  load(A)
  addAt(at)
  keep(A)
  rotate(7)
  add(C)
  keep(C)
  load(A)
  addAt(to)
  keep(A)
  add(Z)
  keep(sum)
  load(A)
  rotate(31)
  add(B)
  add(C)
  keep(second)
}

function hashTo64(at: number, length: number): void {
  const end = at + length
  take(at + 24)
  keep(Z)
  take(end - 16)
  addWords(length, 0)
  multiply(K0)
  addAt(at)
  keep(A)
  mixHalf(at + 8, at + 16, V, V2)
  take(at + 16)
  addAt(end - 32)
  keep(A)
  take(end - 8)
  keep(Z)
  mixHalf(end - 24, end - 16, W, W2)
  load(W)
  add(V2)
  multiply(K0)
  keep(A)
  load(V)
  add(W2)
  multiply(K2)
  add(A)
  fold(15)
  multiply(K0)
  add(V2)
  fold(15)
  multiply(K2)
}

/** Mixes 32 bytes at `at` with the seeds in `a` and `b`, into `first` and `second`. */
function mix32(at: number, first: number, second: number): void {
  load(A)
  addAt(at)
  keep(A)
  keep(C)
  add(B)
  addAt(at + 24)
  rotate(21)
  keep(B)
  load(A)
  addAt(at + 8)
  addAt(at + 16)
  keep(A)
  rotate(44)
  add(B)
  add(C)
  keep(second)
  load(A)
  addAt(at + 24)
  keep(first)
}

function hashLong(start: number, length: number): void {
  const end = start + length
  let at = start
  take(at)
  keep(X)
  take(end - 16)
  xor(K1)
  keep(Y)
  take(end - 56)
  xor(K0)
  keep(Z)
  small(length)
  keep(A)
  copy(Y, B)
  mix32(end - 64, V, V2)
  small(length)
  multiply(K1)
  keep(A)
  copy(K0, B)
  mix32(end - 32, W, W2)
  load(V2)
  fold(15)
  multiply(K1)
  add(Z)
  keep(Z)
  add(X)
  rotate(39)
  multiply(K1)
  keep(X)
  load(Y)
  rotate(33)
  multiply(K1)
  keep(Y)
  for (let left = (length - 1) & ~63; left > 0; left -= 64, at += 64) {
    load(X)
    add(Y)
    add(V)
    addAt(at + 16)
    rotate(37)
    multiply(K1)
    xor(W2)
    keep(X)
    load(Y)
    add(V2)
    addAt(at + 48)
    rotate(42)
    multiply(K1)
    xor(V)
    keep(Y)
    load(Z)
    xor(W)
    rotate(33)
    keep(Z)
    load(V2)
    multiply(K1)
    keep(A)
    load(X)
    add(W)
    keep(B)
    mix32(at, V, V2)
    load(Z)
    add(W2)
    keep(A)
    copy(Y, B)
    mix32(at + 32, W, W2)
    load(X)
    copy(Z, X)
    keep(Z)
  }
  load(W)
  pairWith(V)
  keep(A)
  load(Y)
  fold(15)
  multiply(K1)
  add(Z)
  add(A)
  keep(A)
  load(W2)
  pairWith(V2)
  add(X)
  pairWith(A)
}
