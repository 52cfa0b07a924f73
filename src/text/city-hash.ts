/*
 * ClickHouse's cityHash64, of a text and of a number: what PostHog's query language can compute of an event, too. Of a text it
 * is CityHash64 in version 1.0.2, of a number the last steps of MurmurHash3 (ClickHouse calls them intHash64).
 *
 * A number of 64 bits is two words of 32 here, low word first, in a register: BigInt takes twenty times as long, and V8 keeps
 * words of 32 bits unboxed only in a typed array. An operation puts what it makes of the other registers into its first one,
 * which may be one of them.
 */

/** Registers: where each number of 64 bits is in `R`. */
const [K0, K1, K2, K3, PAIR, MURMUR, MURMUR_TOO, SALT] = [2, 4, 6, 8, 10, 12, 14, 16] as const
const [A, B, C, D, X, Y, Z, T] = [18, 20, 22, 24, 26, 28, 30, 40] as const
const [V, V2, W, W2] = [32, 34, 36, 38] as const
const RESULT = 0
const R = new Int32Array(42)
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

function put(into: number, low: number, high: number): void {
  R[into] = low
  R[into + 1] = high
}

function addWords(into: number, a: number, low: number, high: number): void {
  const sum = (R[a]! >>> 0) + (low >>> 0)
  put(into, sum | 0, (R[a + 1]! + high + (sum > 0xffffffff ? 1 : 0)) | 0)
}

function add(into: number, a: number, b: number): void {
  addWords(into, a, R[b]!, R[b + 1]!)
}

function subtract(into: number, a: number, b: number): void {
  addWords(into, a, ~R[b]!, ~R[b + 1]!)
  addWords(into, into, 1, 0)
}

function xor(into: number, a: number, b: number): void {
  put(into, R[a]! ^ R[b]!, R[a + 1]! ^ R[b + 1]!)
}

function multiply(into: number, a: number, b: number): void {
  const one = R[a]!
  const other = R[b]!
  const low = one & 0xffff
  const high = one >>> 16
  const itsLow = other & 0xffff
  const itsHigh = other >>> 16
  // Sums of products of 16 bits have up to 33 bits, which a double holds.
  const mid = high * itsLow + ((low * itsLow) >>> 16)
  const rest = low * itsHigh + (mid & 0xffff)
  const carry = high * itsHigh + Math.floor(mid / 0x10000) + Math.floor(rest / 0x10000)
  put(into, Math.imul(one, other), carry + Math.imul(R[a + 1]!, other) + Math.imul(one, R[b + 1]!))
}

function rotate(into: number, a: number, by: number): void {
  const swapped = by & 32
  const high = swapped ? R[a]! : R[a + 1]!
  const low = swapped ? R[a + 1]! : R[a]!
  const bits = by & 31
  if (bits === 0) put(into, low, high)
  else put(into, (low >>> bits) | (high << (32 - bits)), (high >>> bits) | (low << (32 - bits)))
}

/** XOR with itself, shifted right by 32 and `bits` more. */
function fold(register: number, bits: number): void {
  R[register]! ^= R[register + 1]! >>> bits
}

/** The hash of a pair of numbers. */
function pair(into: number, first: number, second: number): void {
  xor(T, first, second)
  multiply(T, T, PAIR)
  fold(T, 15)
  xor(T, T, second)
  multiply(T, T, PAIR)
  fold(T, 15)
  multiply(into, T, PAIR)
}

let view: DataView

function take(into: number, at: number): void {
  put(into, view.getInt32(at, true), view.getInt32(at + 4, true))
}

function addAt(into: number, a: number, at: number): void {
  addWords(into, a, view.getInt32(at, true), view.getInt32(at + 4, true))
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
  into[at] = R[RESULT]!
  into[at + 1] = R[RESULT + 1]!
}

/** Replaces the number in two words of `words` by its hash. */
export function hashNumber(words: Int32Array, at: number): void {
  put(A, words[at]!, words[at + 1]!)
  xor(A, A, SALT)
  fold(A, 1)
  multiply(A, A, MURMUR)
  fold(A, 1)
  multiply(A, A, MURMUR_TOO)
  fold(A, 1)
  words[at] = R[A]!
  words[at + 1] = R[A + 1]!
}

function hashTo16(at: number, length: number): void {
  if (length > 8) {
    take(A, at)
    take(B, at + length - 8)
    addWords(C, B, length, 0)
    rotate(C, C, length)
    pair(A, A, C)
    xor(RESULT, A, B)
  } else if (length >= 4) {
    const first = view.getUint32(at, true)
    put(A, first << 3, first >>> 29)
    addWords(A, A, length, 0)
    put(B, view.getInt32(at + length - 4, true), 0)
    pair(RESULT, A, B)
  } else if (length > 0) {
    put(A, view.getUint8(at) + (view.getUint8(at + (length >> 1)) << 8), 0)
    multiply(A, A, K2)
    put(B, length + (view.getUint8(at + length - 1) << 2), 0)
    multiply(B, B, K3)
    xor(A, A, B)
    fold(A, 15)
    multiply(RESULT, A, K2)
  } else put(RESULT, R[K2]!, R[K2 + 1]!)
}

function hashTo32(at: number, length: number): void {
  take(A, at)
  multiply(A, A, K1)
  take(B, at + 8)
  take(C, at + length - 8)
  multiply(C, C, K2)
  take(D, at + length - 16)
  multiply(D, D, K0)
  subtract(X, A, B)
  rotate(X, X, 43)
  add(D, D, X)
  rotate(X, C, 30)
  add(D, D, X)
  xor(B, B, K3)
  rotate(B, B, 20)
  add(A, A, B)
  subtract(A, A, C)
  addWords(A, A, length, 0)
  pair(RESULT, D, A)
}

/** Half of the work for 33 to 64 bytes: of 16 bytes at `at` and 16 at `to`. It begins with what is in A and Z. */
function mixHalf(at: number, to: number, sum: number, second: number): void {
  add(B, A, Z)
  rotate(B, B, 52)
  rotate(C, A, 37)
  addAt(A, A, at)
  rotate(T, A, 7)
  add(C, C, T)
  addAt(A, A, to)
  add(sum, A, Z)
  rotate(T, A, 31)
  add(B, B, T)
  add(second, B, C)
}

function hashTo64(at: number, length: number): void {
  const end = at + length
  take(Z, at + 24)
  take(A, end - 16)
  addWords(A, A, length, 0)
  multiply(A, A, K0)
  addAt(A, A, at)
  mixHalf(at + 8, at + 16, V, V2)
  take(A, at + 16)
  addAt(A, A, end - 32)
  take(Z, end - 8)
  mixHalf(end - 24, end - 16, W, W2)
  add(W, W, V2)
  multiply(W, W, K0)
  add(V, V, W2)
  multiply(V, V, K2)
  add(A, V, W)
  fold(A, 15)
  multiply(A, A, K0)
  add(A, A, V2)
  fold(A, 15)
  multiply(RESULT, A, K2)
}

/** Mixes 32 bytes at `at` with the seeds in A and B, into `first` and `second`. */
function mix32(at: number, first: number, second: number): void {
  addAt(C, A, at)
  add(B, B, C)
  addAt(B, B, at + 24)
  rotate(B, B, 21)
  addAt(A, C, at + 8)
  addAt(A, A, at + 16)
  rotate(T, A, 44)
  add(B, B, T)
  add(second, B, C)
  addAt(first, A, at + 24)
}

function hashLong(start: number, length: number): void {
  const end = start + length
  take(X, start)
  take(Y, end - 16)
  xor(Y, Y, K1)
  take(Z, end - 56)
  xor(Z, Z, K0)
  put(A, length, 0)
  put(B, R[Y]!, R[Y + 1]!)
  mix32(end - 64, V, V2)
  put(A, length, 0)
  multiply(A, A, K1)
  put(B, R[K0]!, R[K0 + 1]!)
  mix32(end - 32, W, W2)
  put(A, R[V2]!, R[V2 + 1]!)
  fold(A, 15)
  multiply(A, A, K1)
  add(Z, Z, A)
  add(X, Z, X)
  rotate(X, X, 39)
  multiply(X, X, K1)
  rotate(Y, Y, 33)
  multiply(Y, Y, K1)
  let at = start
  for (let left = (length - 1) & ~63; left > 0; left -= 64, at += 64) {
    add(X, X, Y)
    add(X, X, V)
    addAt(X, X, at + 16)
    rotate(X, X, 37)
    multiply(X, X, K1)
    xor(X, X, W2)
    add(Y, Y, V2)
    addAt(Y, Y, at + 48)
    rotate(Y, Y, 42)
    multiply(Y, Y, K1)
    xor(Y, Y, V)
    xor(Z, Z, W)
    rotate(Z, Z, 33)
    multiply(A, V2, K1)
    add(B, X, W)
    mix32(at, V, V2)
    add(A, Z, W2)
    put(B, R[Y]!, R[Y + 1]!)
    mix32(at + 32, W, W2)
    put(T, R[X]!, R[X + 1]!)
    put(X, R[Z]!, R[Z + 1]!)
    put(Z, R[T]!, R[T + 1]!)
  }
  pair(A, V, W)
  fold(Y, 15)
  multiply(Y, Y, K1)
  add(A, A, Y)
  add(A, A, Z)
  pair(B, V2, W2)
  add(B, B, X)
  pair(RESULT, A, B)
}
