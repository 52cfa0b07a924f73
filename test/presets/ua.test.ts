import { expect, test } from 'vitest'
import { wholeUnits } from '../../src/presets/ua.ts'

test.each([
  ['49900000', '49.9'],
  ['1', '0.000001'],
  ['0', '0'],
  ['-5000000', '-5'],
  ['123456789012345', '123456789.012345'],
  ['0012000000', '12'],
])('%s millionths are %s', (millionths, units) => expect(wholeUnits(millionths)).toBe(units))
