import { expect, test } from 'vitest'
import { type Decimal, decimalNumber, type Minus } from '../../src/mapping/decimal.ts'

test.each<[string, Decimal, string | undefined]>([
  ['$1,234.50', '.', '1234.50'],
  ['1.234,50 €', ',', '1234.50'],
  ['-$5', '.', '-5'],
  ['$-5.00', '.', '-5.00'],
  ['EUR 12,5', ',', '12.5'],
  ['12345678901234567890.10', '.', '12345678901234567890.10'],
  ['1 234 567,89 zł', ',', '1234567.89'],
  ["CHF 1'234.50", '.', '1234.50'],
  ['US$ 3', '.', '3'],
  ['007.5', '.', undefined],
  ['0.50', '.', '0.50'],
  ['1,23', '.', undefined],
  ['1,2345.00', '.', undefined],
  ['1.234.567', ',', '1234567'],
  ['1.234.567', '.', undefined],
  ['12 apples', '.', undefined],
  ['--5', '.', undefined],
  ['-$-5', '.', undefined],
  ['', '.', undefined],
  ['INV-1001', '.', undefined],
  ['KD-00707', '.', undefined],
  ['UTF-8', '.', undefined],
  ['SKU-12', '.', undefined],
  ['AB12', '.', undefined],
  ['PNR 4711', '.', undefined],
  ['EUR-5', '.', undefined],
  ['-EUR 5', '.', '-5'],
  ['EUR 5', '.', '5'],
  ['5 EUR', '.', '5'],
  ['eur 5', '.', undefined],
  ['007', '.', undefined],
  ['0,123', '.', undefined],
  ['00.5', '.', undefined],
  ['0', '.', '0'],
  ['12A', '.', undefined],
  ['12e45', '.', undefined],
  ['+5', '.', undefined],
  ['12%', '.', undefined],
  ['$5 €', '.', undefined],
  ['US 5 $', '.', undefined],
  ['500,00-', ',', undefined],
  ['(5.00)', '.', undefined],
  ['١٢', '.', undefined],
])('%s with %s is %s', (text, decimal, json) => expect(decimalNumber(text, { decimal })).toBe(json))

test.each<[string, Minus, string | undefined]>([
  ['500.00-', 'after', '-500.00'],
  ['500.00- EUR', 'after', '-500.00'],
  ['500.00 EUR-', 'after', '-500.00'],
  ['500.00', 'after', '500.00'],
  ['-500.00', 'after', undefined],
  ['-500.00-', 'after', undefined],
  ['(500.00)', 'parentheses', '-500.00'],
  ['($5.00)', 'parentheses', '-5.00'],
  ['$(5.00)', 'parentheses', '-5.00'],
  ['(5.00', 'parentheses', undefined],
  ['5.00)', 'parentheses', undefined],
  ['((5.00))', 'parentheses', undefined],
  ['-5', 'parentheses', undefined],
  ['500.00-', 'before', undefined],
])('%s with a minus %s is %s', (text, minus, json) => {
  expect(decimalNumber(text, { decimal: '.', minus })).toBe(json)
})

test('cells of another currency, or of none, are not of the column that names one', () => {
  const texts = ['$5', '5 $', '€5', '5', 'US$ 5']
  expect(texts.map((text) => decimalNumber(text, { decimal: '.', currency: '$' }))).toEqual([
    '5',
    '5',
    undefined,
    undefined,
    undefined,
  ])
})
