import { expect, test } from 'vitest'
import { smallSource } from '../../../src/commands/init/small-record.ts'

const MOST = 4096

test('a small record stays as it is, to the byte', () => {
  const source = { kind: 'record', json: '{ "n": 1.50, "t":"\\u00e9" }' } as const
  expect(smallSource(source)).toBe(source)
})

test('long texts, lists and JSON in text are cut, and all else stays', () => {
  const inner = JSON.stringify({ page: 'x'.repeat(5000), n: 1 })
  const json = `{"event":"E","n":12345678901234567890,"long":${JSON.stringify('é'.repeat(1_200_000))},"list":[${'{"a":1},'.repeat(5000)}{}],"props":${JSON.stringify(inner)}}`
  const small = smallSource({ kind: 'record', json })
  expect(Buffer.byteLength(small!.json)).toBeLessThanOrEqual(MOST)
  expect(small!.json).toContain('"n":12345678901234567890')
  const record = JSON.parse(small!.json)
  expect(record).toMatchObject({ event: 'E', long: expect.stringMatching(/^é+…$/) })
  expect(JSON.parse(record.props)).toMatchObject({ n: 1, page: expect.stringMatching(/^x+…$/) })
  const row = smallSource({ kind: 'row', cells: { event: 'E', note: 'x'.repeat(1e6), props: inner } })
  expect(row!.cells).toMatchObject({ event: 'E', note: expect.stringMatching(/^x{1,200}…$/) })
})

test('a record of thousands of members is no test', () => {
  const wide = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`column_${n}`, n]))
  expect(smallSource({ kind: 'record', json: JSON.stringify(wide) })).toBeUndefined()
})
