import { expect, test } from 'vitest'
import { compareUuids, readUuidBytes, readUuidView, uuidText } from '../../src/record/uuid.ts'

test('reads every digit at every place into the bytes that the text spells', () => {
  const words = new Uint32Array(6)
  for (let turn = 0; turn < 16; turn++) {
    const hex = Array.from({ length: 32 }, (_, at) => ((at * 7 + turn) % 16).toString(16)).join('')
    const text = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    readUuidBytes(Buffer.from(`>>>${text}`), 3, words)
    const bytes = Buffer.from(hex, 'hex')
    expect([...words]).toEqual([0, 4, 8, 12].map((at) => bytes.readUInt32LE(at)).concat(0, 0))
    const again = new Uint32Array(6)
    const line = new TextEncoder().encode(`>>>${text}`)
    readUuidView(new DataView(line.buffer), 3, again, 2)
    expect([...again]).toEqual([0, 0, ...words.slice(0, 4)])
    expect(uuidText(again, 2)).toBe(text)
  }
})

test('uuids are in the order of their texts, whichever digit differs', () => {
  const id = '89abcdef-0123-4567-89ab-cdef01234567'
  const wordsOf = (text: string) => {
    const words = new Uint32Array(4)
    readUuidBytes(Buffer.from(text), 0, words)
    return words
  }
  for (let at = 0; at < id.length; at++) {
    if (id[at] === '-') continue
    const other = id.slice(0, at) + (id[at] === '8' ? '7' : '8') + id.slice(at + 1)
    expect(Math.sign(compareUuids(wordsOf(id), 0, wordsOf(other), 0)), other).toBe(id < other ? -1 : 1)
  }
  expect(compareUuids(wordsOf(id), 0, wordsOf(id), 0)).toBe(0)
})
