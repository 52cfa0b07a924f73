import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cellReader } from '../../../src/mapping/columns.ts'
import { kindOf } from '../../../src/studio/profile/kind.ts'
import { profiledMembers } from '../../../src/studio/profile/member.ts'
import { seedOf } from '../../helpers/random.ts'

const NOW = Date.UTC(2026, 0, 1) * 1000

const int = (max: number) => fc.integer({ min: 0, max })
const digits = (least: number, most: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: least, maxLength: most })

/** Writes numbers of one locale: the sign before the fraction, the one between thousands, what is around. */
const locale = fc.record({
  decimal: fc.constantFrom('.', ','),
  group: fc.constantFrom('', '', '.', ',', ' ', "'", '\u00a0', '\u202f'),
  digits: fc.constantFrom(0, 2, 2, 3, 4),
  around: fc.constantFrom(
    ['', ''],
    ['', ''],
    ['$', ''],
    ['', ' €'],
    ['EUR ', ''],
    ['', ' zł'],
    ['PNR ', ''],
    ['', '%'],
  ),
  minus: fc.constantFrom('-#', '#-', '(#)', '+#'),
  isMixed: fc.boolean(),
  isBare: fc.boolean(),
})
const amounts = locale.chain(
  ({ decimal, group, digits: count, around: [before = '', after = ''], minus, isMixed, isBare }) => {
    const one = fc
      .tuple(int(2_000_000), fc.integer({ min: 0, max: 10 ** count - 1 }), fc.boolean(), int(9))
      .map(([whole, fraction, isNegative, shape]) => {
        const grouped = String(whole).replace(/\B(?=(?:\d{3})+$)/g, group)
        const tail =
          count === 0 || (isMixed && shape < 3) ? '' : decimal + String(fraction).padStart(count, '0')
        const bare = isBare && whole % 2 === 0 && tail !== '' ? '' : grouped
        const text = before + bare + tail + after
        return isNegative ? minus.replace('#', () => text) : text
      })
    return fc.array(one, { minLength: 1, maxLength: 30 })
  },
)

const CELLS = {
  integers: int(1_000_000).map(String),
  long: digits(16, 22),
  zips: digits(4, 6),
  fractions: fc.double({ noNaN: true, min: -1e9, max: 1e9 }).map(String),
  python: fc.double({ noNaN: true, min: -1e9, max: 1e9 }).map((value) => {
    const rounded = Math.round(value * 100) / 100
    return Number.isInteger(rounded) ? `${rounded}.0` : String(rounded)
  }),
  versions: fc.tuple(int(9), int(20)).map((parts) => parts.join('.')),
  builds: fc.tuple(int(9), int(20), int(9)).map((parts) => parts.join('.')),
  invoices: fc
    .tuple(fc.constantFrom('INV', 'KD', 'UTF', 'SKU', 'EUR', 'TOP'), digits(1, 6))
    .map((p) => p.join('-')),
  codes: fc
    .tuple(fc.constantFrom('AB', 'PNR ', 'ALL ', 'USD', 'X'), digits(1, 6))
    .map((parts) => parts.join('')),
  ends: fc
    .tuple(digits(1, 4), fc.constantFrom('A', 'k', ' kg', 'e45', 'E2', '%'))
    .map((parts) => parts.join('')),
  phones: fc
    .tuple(fc.constantFrom('+43 ', '0', '', '(0)'), digits(3, 3), digits(6, 7))
    .map(([a, b, c]) => `${a}${b} ${c}`),
  ibans: digits(20, 20).map((text) => `DE${text.replace(/(.{4})(?=.)/g, '$1 ')}`),
  signs: fc.constantFrom('-0', '0', '+5', '(5)', '-5', '5-', '−5', '--5', '$-5', '-$5', '- 5'),
}

const column = fc.oneof(
  amounts,
  fc.tuple(amounts, amounts).map(([one, other]) => [...one, ...other]),
  fc
    .tuple(amounts, fc.array(fc.oneof(...Object.values(CELLS)), { maxLength: 2 }))
    .map((parts) => parts.flat()),
  ...Object.values(CELLS).map((cell) => fc.array(cell, { minLength: 1, maxLength: 30 })),
  fc.array(fc.oneof(...Object.values(CELLS)), { minLength: 1, maxLength: 5 }),
)

test('each number that a column is taken for gives back the text of its cell', () => {
  const typed = { number: 0, money: 0 }
  const holds = fc.property(
    column,
    fc.constantFrom('total', 'paid', 'ref', 'is_x', 'zip', 'version'),
    (cells, name) => {
      const [member] = profiledMembers(cells.map((text) => JSON.stringify({ [name]: text })))
      const kind = kindOf(member!, true, NOW)
      if (kind.kind !== 'number' && kind.kind !== 'money') return
      const form = kind.kind === 'money' ? kind.form : {}
      const read = cellReader({ type: 'number', ...form }, {})
      const numbers = member!.texts.flatMap((text) => {
        const json = read(text)
        return json === undefined ? [] : [{ text, value: Number(json) }]
      })
      typed[kind.kind] += numbers.length
      assertPrintable(numbers, kind.kind === 'money' ? kind.form.decimal : '.')
    },
  )
  fc.assert(holds, { seed: seedOf('number-guess'), numRuns: 3000 })
  expect(typed.number).toBeGreaterThan(300)
  expect(typed.money).toBeGreaterThan(300)
})

interface Printed {
  readonly text: string
  readonly value: number
}

/** Throws unless one rule, told by the texts alone, writes each value as its text. */
function assertPrintable(numbers: readonly Printed[], decimal: string): void {
  const seen = {
    belowOne: new Set<string>(),
    around: new Map<boolean, string>(),
    group: new Set<string>(),
    lengths: new Set<number>(),
  }
  const zeros: number[] = []
  for (const { text, value } of numbers) {
    const [, before, body, after] = /^(\D*?)([.,]?\d.*?)(\D*)$/.exec(text)!
    const [whole = '', fraction = ''] = body!.split(decimal)
    const bare = whole.replaceAll(/\D/g, '') || '0'
    if (Math.abs(value) < 1 && fraction !== '') seen.belowOne.add(whole)
    const isNegative = /[-(]/.test(text)
    const needed = fraction.replace(/0+$/, '')
    expect(needed === '' ? bare : `${bare}.${needed}`, text).toBe(String(Math.abs(value)))
    expect(value < 0, text).toBe(isNegative)
    const around = `${before}#${after}`
    expect(seen.around.get(isNegative) ?? around, text).toBe(around)
    seen.around.set(isNegative, around)
    if (bare.length > 3) seen.group.add(whole.replaceAll(/\d/g, '').slice(0, 1))
    seen.lengths.add(fraction.length)
    if (fraction.endsWith('0')) zeros.push(fraction.length)
  }
  const texts = JSON.stringify(numbers.map(({ text }) => text))
  expect(seen.belowOne.size, texts).toBeLessThanOrEqual(1)
  expect(seen.group.size, texts).toBeLessThanOrEqual(1)
  // Each fraction has the digits that its number needs, and as many as the shortest: 62.0 beside 5.25.
  const least = Math.min(...[...seen.lengths].filter((length) => length > 0))
  expect(
    zeros.every((length) => length === least),
    texts,
  ).toBe(true)
  if (seen.lengths.has(0))
    for (const { text, value } of numbers)
      expect(Number.isInteger(value) && text.includes(decimal), texts).toBe(false)
}
