import { expect, test } from 'vitest'
import { ndjsonWriter } from '../../../src/sources/sql/row-lines.ts'
import { jsonCell, numberCell } from '../../../src/sources/sql/sql-cells.ts'

const KEEP = { nulls: false, bigIntegersAsStrings: false }
const ROWS = [
  ['9007199254740993', '"é\\n"', null],
  [null, null, null],
]

test('columns are members in their order, and digits stay', () => {
  const text = (options: typeof KEEP) => ndjsonWriter(['id', '__proto__', 'c'], options)(ROWS).toString()
  expect(text(KEEP)).toBe('{"id":9007199254740993,"__proto__":"é\\n"}\n{}\n')
  expect(text({ ...KEEP, nulls: true })).toBe(
    '{"id":9007199254740993,"__proto__":"é\\n","c":null}\n{"id":null,"__proto__":null,"c":null}\n',
  )
  expect(text({ ...KEEP, bigIntegersAsStrings: true })).toContain('{"id":"9007199254740993"')
})

test('two columns of one name are refused', () => {
  expect(() => ndjsonWriter(['id', 'at', 'id'], KEEP)).toThrow('"id"')
})

test('numbers keep all digits; what is no number of JSON is null and counted, or a text', () => {
  const lost: string[] = []
  const cell = (text: string) => numberCell(text, 'price', { notFinite: (column) => void lost.push(column) })
  for (const text of ['0', '-0', '1.10', '1e22', '18446744073709551615', '-0.000001'])
    expect(cell(text)).toBe(text)
  for (const text of ['NaN', 'Infinity', '-inf', 'nan']) expect(cell(text)).toBeNull()
  expect(lost).toHaveLength(4)
  for (const text of ['007', '.5', '1.', '+1', '0x1', '']) expect(cell(text)).toBe(JSON.stringify(text))
})

test('JSON stays as it stands, on one line', () => {
  expect(jsonCell('{"a": 1.10,\r\n "a": "x\\n"}')).toBe('{"a": 1.10,   "a": "x\\n"}')
})
