import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CsvRows } from '../../src/inputs/csv-rows.ts'
import { seedOf } from '../helpers/seed.ts'

const seed = seedOf('copy')

test.each([
  ['plain', 'plain'],
  ['a\\tb\\nc\\rd\\\\e', 'a\tb\nc\rd\\e'],
  ['\\b\\f\\v', '\b\f\v'],
  ['\\101\\7x\\0', 'A\x07x\0'],
  ['\\x41\\xZ\\x9!', 'AxZ\t!'],
  ['C:\\\\new', 'C:\\new'],
  // MySQL puts a backslash before the character itself.
  ['a\\\tb\\\nc', 'a\tb\nc'],
  ['\\"', '"'],
  ['ends \\', 'ends \\'],
])('%j is %j', (cell, text) => expect(undone(cell)).toBe(text))

test('what COPY writes is read again, whatever it holds', () => {
  const copied = (text: string) =>
    text.replace(
      /[\\\t\n\r\b\f\v]/g,
      (char) => `\\${{ '\t': 't', '\n': 'n', '\r': 'r', '\b': 'b', '\f': 'f', '\v': 'v' }[char] ?? char}`,
    )
  const texts = fc.array(fc.constantFrom('\\', '\t', '\n', '\r', '\v', 'x', '4', 'N', '0', 'é'), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(texts, (pieces) => {
      expect(undone(copied(pieces.join('')))).toBe(pieces.join(''))
    }),
    { seed },
  )
})

function undone(cell: string): string {
  let read = ''
  const table = { path: 'events.tsv', delimiter: '\t' }
  const rows = new CsvRows(Buffer.from('\n'), table, 1000, ({ cells }) => (read = cells.join('|')), true)
  rows.push(Buffer.from(cell))
  rows.end()
  return Buffer.from(read, 'latin1').toString()
}
