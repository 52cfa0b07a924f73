import { expect, test } from 'vitest'
import { type Decimal, decimalNumber } from '../../src/mapping/decimal.ts'

test.each<[string, Decimal, string | undefined]>([
  ['$1,234.50', '.', '1234.50'],
  ['1.234,50 €', ',', '1234.50'],
  ['-$5', '.', '-5'],
  ['$-5.00', '.', '-5.00'],
  ['EUR 12,5', ',', '12.5'],
  ['12345678901234567890.10', '.', '12345678901234567890.10'],
  ['1 234 567,89 zł', ',', undefined],
  ["CHF 1'234.50", '.', '1234.50'],
  ['US$ 3', '.', '3'],
  ['007.5', '.', '7.5'],
  ['0.50', '.', '0.50'],
  ['1,23', '.', undefined],
  ['1,2345.00', '.', undefined],
  ['1.234.567', ',', '1234567'],
  ['1.234.567', '.', undefined],
  ['12 apples', '.', undefined],
  ['--5', '.', undefined],
  ['-$-5', '.', undefined],
  ['', '.', undefined],
])('%s with %s is %s', (text, decimal, json) => expect(decimalNumber(text, decimal)).toBe(json))
