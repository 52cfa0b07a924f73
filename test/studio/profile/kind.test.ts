import { describe, expect, test } from 'vitest'
import { kindOf } from '../../../src/studio/profile/kind.ts'
import { profiledMembers } from '../../../src/studio/profile/member.ts'
import { manyProfilesOf } from '../../../src/studio/profile/profiles-of.ts'

const NOW = Date.UTC(2026, 0, 1) * 1000

function kind(name: string, texts: readonly string[]) {
  const [member] = profiledMembers(
    texts.map((text) => JSON.stringify({ [name]: text })),
    { columns: [name] },
  )
  return kindOf(member!, true, NOW)
}

test.each([
  ['Fri Mar  1 10:00:00 CST 2024', 'CST is the clock of several places'],
  ['3. lis 2024 10:00:00', 'lis is another month in Polish or Czech than in Croatian'],
  ['datetime.datetime(2024, 3, 1, 10:00)', 'time_format may say it'],
])('a time of a form that is not known is asked about: %s', (text, words) =>
  expect(kind('happened_at', [text])).toMatchObject({ kind: 'text', ask: expect.stringContaining(words) }),
)

describe('cells are taken for', () => {
  test.each([
    ['amount', ['1', '2.50', '-3'], 'number'],
    ['amount', ['1', 'N/A', '3'], 'number'],
    ['zip', ['1010', '8010'], 'text'],
    ['Storno', ['12.50', '-3.00'], 'number'],
    ['price', ['62.0', '5.25', '0.5'], 'number'],
    ['order_no', ['12', '13'], 'text'],
    ['version', ['1.10', '1.9'], 'text'],
    ['plate', ['007', '010'], 'text'],
    ['contact', ['+4312345', '+4367890'], 'text'],
    ['contact', ['+43 123 456', '4367890'], 'text'],
    ['Mobile', ['4366412345', '4367612345'], 'text'],
    ['Phone Number', ['660 123 456', '12 345 678'], 'text'],
    ['visits_mobile', ['12', '7'], 'number'],
    ['paid', ['$1,234.50', '$3'], 'money'],
    ['big', ['12345678901234567890', '1'], 'text'],
    ['paid', ['true', 'FALSE'], 'boolean'],
    ['paid', ['t', 'f'], 'boolean'],
    ['is_new', ['0', '1'], 'boolean'],
    ['seats', ['0', '1'], 'number'],
    ['props', ['{"a":1}', '{}'], 'JSON text'],
    ['props', ['{a: 1}'], 'text'],
    ['page', ['https://example.com/a', 'http://b.example'], 'URL'],
    ['ua', ['Mozilla/5.0 (X11; Linux x86_64)'], 'user agent'],
    ['mail', ['ann@example.com'], 'email'],
    ['ip', ['203.0.113.7', '2001:db8::1'], 'IP address'],
    ['id', ['0b5cbe56-94ba-4d12-a5ba-0d3ba5b8ed24'], 'UUID'],
    ['note', ['', 'null'], 'empty'],
    ['note', ['12 apples'], 'text'],
  ])('%s %j: %s', (name, texts, expected) => expect(kind(name, texts).kind).toBe(expected))

  test.each([
    [['$1,234.50', '$3'], { decimal: '.', minus: 'before', currency: '$' }],
    [['1.234,50 €', '3,00 €'], { decimal: ',', minus: 'before', currency: '€' }],
    [['1,234', '5,678', '1.50'], { decimal: '.', minus: 'before' }],
    [['.5', '12.5', '-.25', '7'], { decimal: '.', minus: 'before' }],
    [['500,00-', '1.200,50'], { decimal: ',', minus: 'after' }],
    [['($5.00)', '$12.50'], { decimal: '.', minus: 'parentheses', currency: '$' }],
    [['USD 5.00', 'USD 5.00', 'USD 7.10'], { decimal: '.', minus: 'before', currency: 'USD' }],
  ])('money: %j', (texts, form) => expect(kind('total', texts)).toMatchObject({ kind: 'money', form }))

  test.each([
    ['doc', ['INV-1001', 'INV-1002'], undefined],
    ['customer', ['KD-00707', 'KD-00708'], undefined],
    ['charset', ['UTF-8', 'UTF-8'], undefined],
    ['ref', ['AB12', 'AB13'], undefined],
    ['ref', ['PNR 4711', 'PNR 4712'], undefined],
    ['ref', [...Array<string>(30).fill('12'), '007'], 'leading zeros'],
    ['ref', [...Array<string>(30).fill('12'), '12A'], 'letters after the digits'],
    ['ref', ['12345678901234567890'], 'over 2^53'],
    ['lat', ['48.12345678901234567'], 'more digits than PostHog keeps'],
    ['app_version', ['1.1', '1.2'], 'digits of an id or a code'],
  ])('text, and nothing is asked: %s %j', (name, texts, why) => {
    const found = kind(name, texts)
    expect(found).toMatchObject({ kind: 'text', ...(why !== undefined && { odd: { why } }) })
    expect(found).not.toMatchObject({ ask: expect.any(String) })
  })

  test.each([
    [['1,234', '5,678'], `"1,234" is 1234 (decimal: '.') or 1.234 (decimal: ','): no value tells which`],
    [['14.365,30', '14365.30'], '"14.365,30" and "14365.30" are not written in one form'],
    [['500,00-', '-500,00'], 'are not written in one form'],
    [['1.10', '1.9'], 'as a number "1.10" is 1.1'],
    [['2.50', '1.00', '3'], 'as a number "1.00" is 1'],
    [['1234.50', '1,234.50'], 'as a number "1,234.50" is 1234.5'],
    [['$5', '7'], 'as a number "7" is 7'],
    [['-0', '1'], 'as a number "-0" is 0'],
    [['12e45', '3'], '"12e45" can be a number with an exponent'],
    [Array<string>(30).fill('f'), 'f: are they true and false'],
    [['true', 'TRUE', 'false'], 'true, TRUE, false: are they true and false'],
    [[...Array<string>(30).fill('true'), 'false', 'f'], 'true, false, f: are they true and false'],
    [['TOP 12', 'TOP 13'], 'each begins with TOP, and no two are the same'],
    [['12 345', '660 123 456'], 'the digits have blanks between'],
  ])('text, and it is asked whether they are numbers: %j', (texts, ask) => {
    expect(kind('total', texts)).toMatchObject({ kind: 'text', ask: expect.stringContaining(ask) })
  })

  test('text where amounts are of several currencies, since the sign would be lost', () => {
    expect(kind('total', ['$1.00', '€2.00'])).toMatchObject({ kind: 'text', odd: { why: 'amounts in $, €' } })
  })

  test('numbers though a few cells are none, which are counted', () => {
    const texts = [...Array.from({ length: 99 }, (_, i) => `${i}`), 'unknown']
    expect(kind('n', texts)).toEqual({ kind: 'number', odd: { count: 1, example: 'unknown' } })
  })
})

describe('times', () => {
  test.each([
    ['ts', ['1709294400', '1709294500'], 'seconds', []],
    ['ts', ['1709294400000'], 'milliseconds', []],
    ['ts', ['1709294400000000'], 'microseconds', []],
    ['ts', ['1709294400123456789'], 'nanoseconds', ['epoch_ns']],
    ['time_us', ['1709294400123456'], 'microseconds', []],
    ['ts_ms', ['1709294400123'], 'milliseconds', []],
    ['createdAtMs', ['1709294400123'], 'milliseconds', []],
    ['epochseconds', ['1709294400'], 'seconds', []],
    ['event_time_ns', ['1709294400123456789'], 'nanoseconds', ['epoch_ns']],
    ['at', ['2024-03-01T12:00:00Z'], 'ISO', []],
    ['day', ['2024-03-01', '2024-03-02'], 'YYYY-MM-DD', ['YYYY-MM-DD']],
    ['day', ['20240301', '20240302'], 'YYYYMMDD', ['YYYYMMDD']],
    ['x', ['3/31/2024 1:05 PM', '4/1/2024 11:00 AM'], 'MM/DD/YYYY hh:mm A', ['MM/DD/YYYY hh:mm A']],
    ['x', ['31/03/2024', '01/04/2024'], 'DD/MM/YYYY', ['DD/MM/YYYY']],
    ['x', ['01.03.2024 12:00', '02.03.2024 12:00'], 'DD.MM.YYYY HH:mm', ['DD.MM.YYYY HH:mm']],
    ['x', ['01/Mar/2024:12:00:00 +0200'], 'D/MMM/YYYY:HH:mm:ss Z', ['D/MMM/YYYY:HH:mm:ss Z']],
    ['x', ['Fri, 01 Mar 2024 12:00:00 GMT'], 'ddd, D MMM YYYY HH:mm:ss Z', ['ddd, D MMM YYYY HH:mm:ss Z']],
    ['x', ['March 1, 2024'], 'MMM D, YYYY', ['MMM D, YYYY']],
  ])('%s %j: %s', (name, texts, words, formats) => {
    expect(kind(name, texts)).toMatchObject({ kind: 'time', time: { words, formats, fits: texts.length } })
  })

  test('are not digits under a name that is none of a time', () => {
    expect(kind('order', ['1709294400', '1709294500']).kind).toBe('number')
    expect(kind('bytes_us', ['1709294400', '1709294500']).kind).toBe('number')
    expect(kind('version', ['1.2.2024', '1.3']).kind).toBe('text')
  })

  test.each([
    ['1709294400', '1709294400123456789', 'seconds'],
    ['1709294400', '1.709294400123E12', 'seconds'],
  ])('%s and %s are never read by a unit that is only the second one’s', (seconds, other, words) => {
    const texts = [seconds, seconds, other]
    expect(kind('ts', texts)).toMatchObject({ time: { words, formats: [], fits: 2, of: 3 } })
  })

  test('whose day could be either number are the usual order of their sign, and that is said', () => {
    const order = { isSure: false, why: 'all 2 could be of either order' }
    const us = kind('x', ['3/4/2024', '5/6/2024'])
    expect(us).toMatchObject({ time: { words: 'MM/DD/YYYY', order: { ...order, other: 'DD/MM/YYYY' } } })
    expect(kind('x', ['3.4.2024', '5.6.2024'])).toMatchObject({ time: { words: 'DD.MM.YYYY' } })
    expect(kind('x', ['3/4/2024', '5/26/2024'])).toMatchObject({
      time: { order: { isSure: true, why: '1 of 2 can only be of this order' } },
    })
  })

  test.each([
    ['24-03-01 10:00', '24-03-28 11:00', 'YY-MM-DD HH:mm', true, 'DD-MM-YY HH:mm'],
    ['01.03.24', '31.03.24', 'DD.MM.YY', true, 'MM.DD.YY'],
    ['13.03.24', '14.03.24', 'DD.MM.YY', false, 'YY.MM.DD'],
    ['24/03/05', '24/03/06', 'DD/MM/YY', false, 'YY/MM/DD'],
    ['03/04/24', '03/05/24', 'MM/DD/YY', false, 'DD/MM/YY'],
    ['24-Mar-01 10:00', '24-Mar-15 22:00', 'YY-MMM-D HH:mm', true, 'D-MMM-YY HH:mm'],
    ['13-MAR-24', '14-MAR-24', 'D-MMM-YY', false, 'YY-MMM-D'],
    ['01-MAR-24', '14-MAR-24', 'D-MMM-YY', true, 'YY-MMM-D'],
  ])(
    'whose year of two digits could come first, %s and %s, are %s, for sure: %s',
    (a, b, words, isSure, other) => {
      expect(kind('x', [a, b])).toMatchObject({ time: { words, order: { isSure, other } } })
    },
  )

  test('never of both orders: what fits only the other one is none', () => {
    const texts = [...Array<string>(19).fill('3/20/2024'), '20/3/2024']
    expect(kind('x', texts)).toMatchObject({
      kind: 'time',
      time: { formats: ['MM/DD/YYYY'], fits: 19, of: 20 },
    })
  })

  test('without an offset are counted', () => {
    const texts = ['2024-03-01 12:00:00', '2024-03-01T12:00:00Z']
    expect(kind('at', texts)).toMatchObject({ time: { zoneless: 1 } })
    expect(kind('ts', ['1709294400'])).toMatchObject({ time: { zoneless: 0 } })
    expect(kind('day', ['2024-03-01', '2024-03-11'])).toMatchObject({ time: { zoneless: 2 } })
    const offsets = ['2024-03-01 10:00:00.123456+02', '2024-03-01T10:00-05:30']
    expect(kind('at', offsets)).toMatchObject({ time: { zoneless: 0 } })
  })
})

test('many records are left as soon as a signal comes, between two members', async () => {
  const stop = new AbortController()
  const records = [JSON.stringify({ a: 1, b: 2, c: 3 })]
  const profiles = manyProfilesOf(records, { now: NOW }, stop.signal)
  stop.abort('SIGINT')
  await expect(profiles).rejects.toBe('SIGINT')
})
