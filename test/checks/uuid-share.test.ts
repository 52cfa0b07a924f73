import { expect, test } from 'vitest'
import { uuidShare } from '../../src/checks/event-set.ts'

const UUIDS = [
  '018cc251-f400-7abc-8def-0123456789ab',
  'ffffffff-ffff-4fff-bfff-ffffffffffff',
  '00000000-0000-5000-8000-000000000001',
]

/** By the definition: both halves as little-endian numbers. */
function expected(uuid: string, of: number): number {
  const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex')
  return Number((bytes.readBigUInt64LE(0) + bytes.readBigUInt64LE(8)) % BigInt(of))
}

test.each([1, 3, 9, 10, 729])('the remainder of both halves, by %i', (of) => {
  for (const uuid of UUIDS) expect(uuidShare(Buffer.from(`"${uuid}"`), 1, of)).toBe(expected(uuid, of))
})
