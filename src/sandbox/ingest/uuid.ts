import { randomFillSync } from 'node:crypto'

const HYPHENATED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const SIMPLE = /^[0-9a-f]{32}$/i

/** The 128 bits of a UUID of any version, or undefined if `text` is not one. Braces and `urn:uuid:` are fine. */
export function parseUuid(text: string): bigint | undefined {
  let bare = text
  if (bare.startsWith('urn:uuid:')) bare = bare.slice(9)
  else if (bare.startsWith('{') && bare.endsWith('}')) bare = bare.slice(1, -1)
  if (HYPHENATED.test(bare)) return BigInt(`0x${bare.replaceAll('-', '')}`)
  return bare === text && SIMPLE.test(bare) ? BigInt(`0x${bare}`) : undefined
}

/** A new version 7 UUID, as the service makes for events without one. */
export function makeUuid(now: number): bigint {
  const random = randomFillSync(new BigUint64Array(2))
  const high = (BigInt(now) << 16n) | 0x7000n | (random[0]! & 0xfffn)
  const low = (0b10n << 62n) | (random[1]! & ((1n << 62n) - 1n))
  return (high << 64n) | low
}

/** A uuid in lower case with hyphens. */
export function uuidText(uuid: bigint): string {
  const hex = uuid.toString(16).padStart(32, '0')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
