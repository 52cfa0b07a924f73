import { expect, test } from 'vitest'
import { COUNTRIES, countryCode, countryName } from '../../src/mapping/derived.ts'
import { codeOfCountry, nameOfCountry } from './countries.ts'

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const CODES = LETTERS.flatMap((first) => LETTERS.map((second) => first + second))

test("the engine's table of countries and one made of CLDR say the same of every code and name", () => {
  expect(CODES.map(countryName)).toEqual(CODES.map(nameOfCountry))
  const names = [
    ...COUNTRIES.map(([, name]) => name),
    'USA',
    'Burma',
    'Macau',
    'St. Kitts & Nevis',
    'the bahamas',
    'Nowhere',
  ]
  expect(names.map(countryCode)).toEqual(names.map(codeOfCountry))
})
