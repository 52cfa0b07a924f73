const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193
const BACKSLASH = 0x5c
const QUOTE = 0x22

/**
 * The lane of a distinct_id, whose JSON string (quotes included) is bytes[start, end). The same id has the same lane,
 * however it is escaped.
 */
export function laneOf(bytes: Buffer, start: number, end: number, lanes: number): number {
  return lanes === 1 ? 0 : hashOfId(bytes, start, end) % lanes
}

/** The hash of such a distinct_id. */
export function hashOfId(bytes: Buffer, start: number, end: number): number {
  const escaped = bytes.subarray(start, end).indexOf(BACKSLASH) !== -1
  return escaped ? hashText(bytes.toString('utf8', start, end)) : hash(bytes, start, end)
}

/** The lane of a distinct_id given as text. */
export function laneOfText(id: string, lanes: number): number {
  const json = Buffer.from(JSON.stringify(id))
  return laneOf(json, 0, json.length, lanes)
}

function hashText(json: string): number {
  const plain = Buffer.concat([Buffer.of(QUOTE), Buffer.from(JSON.parse(json)), Buffer.of(QUOTE)])
  return hash(plain, 0, plain.length)
}

// FNV-1a spreads ids that differ only in their last digits, and needs no table.
function hash(bytes: Buffer, start: number, end: number): number {
  let value = FNV_OFFSET
  for (let i = start; i < end; i++) value = Math.imul(value ^ bytes[i]!, FNV_PRIME)
  // FNV mixes its low bits least, and the modulus of a few lanes depends on little else.
  return (value ^ (value >>> 15)) >>> 0
}
