import { expect, test } from 'vitest'
import { readUuidBytes } from '../../src/record/uuid-bytes.ts'

test('reads every digit at every place into the bytes that the text spells', () => {
  const words = new Uint32Array(6)
  for (let turn = 0; turn < 16; turn++) {
    const hex = Array.from({ length: 32 }, (_, at) => ((at * 7 + turn) % 16).toString(16)).join('')
    const text = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    readUuidBytes(Buffer.from(`>>>${text}`), 3, words)
    const bytes = Buffer.from(hex, 'hex')
    expect([...words]).toEqual([0, 4, 8, 12].map((at) => bytes.readUInt32LE(at)).concat(0, 0))
  }
})
