import { hashBytes } from './bytes.ts'

/** A key encoded once: `bytes[start, end)` is its raw JSON text; before it stands `"`, behind it `":`. */
export interface Key {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
  readonly hash: number
}

// All keys lie in a few large buffers, not one each: Members tells buffers apart by searching a short list of them.
const POOL_BYTES = 64 * 1024
let pool = Buffer.allocUnsafe(POOL_BYTES)
let used = 0

const known = new Map<string, Key>()
/** Names can come from the data (a trait, a group type): what is remembered must not grow with it. */
const MOST_KNOWN = 20_000

/** The key of that name, in its one canonical spelling. Keep it: it stays valid for good. */
export function keyOf(name: string): Key {
  let key = known.get(name)
  if (!key) {
    key = encode(name)
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(name, key)
  }
  return key
}

function encode(name: string): Key {
  const text = Buffer.from(`${JSON.stringify(name)}:`)
  if (used + text.length > pool.length) {
    // Earlier keys keep the pool they lie in alive.
    pool = Buffer.allocUnsafe(Math.max(POOL_BYTES, text.length))
    used = 0
  }
  text.copy(pool, used)
  const start = used + 1
  const end = used + text.length - 2
  used += text.length
  return { bytes: pool, start, end, hash: hashBytes(pool, start, end) }
}
