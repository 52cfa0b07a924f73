import { expect, test } from 'vitest'
import { formatInstant } from '../../../src/record/time.ts'
import { compileTimeFormat } from '../../../src/record/time-format.ts'
import { formatsOf } from '../../../src/studio/profile/time-forms.ts'

// 2024-03-13T10:05:09Z, written by programs and people; a day alone is its first moment.
const MOMENT = '2024-03-13T10:05:09'

test.each([
  ['2024/03/13 10:05:09', 'YYYY/MM/DD HH:mm:ss'],
  ['2024-3-13 10:5:9', 'YYYY-M-D H:m:s'],
  ['2024. 3. 13. 10:05:09', 'YYYY. M. D. HH:mm:ss'],
  ['2024:03:13 10:05:09', 'YYYY:MM:DD HH:mm:ss'],
  ['20240313100509', 'YYYYMMDDHHmmss'],
  ['20240313T100509Z', 'YYYYMMDDTHHmmssZ'],
  ['20240313 10:05:09', 'YYYYMMDD HH:mm:ss'],
  ['3/13/24 10:05:09 AM', 'MM/DD/YY hh:mm:ss A'],
  ['3/13/2024, 10:05:09\u202fAM', 'MM/DD/YYYY, hh:mm:ss A'],
  ['13/3/2024 10:05:09 a.\u00a0m.', 'DD/MM/YYYY hh:mm:ss A'],
  ['13.03.2024 10:05:09 Uhr', "DD.MM.YYYY HH:mm:ss 'Uhr'"],
  ['13.03.2024, 10.05.09', 'DD.MM.YYYY, HH.mm.ss'],
  ['13/03/2024 10h05m09', "DD/MM/YYYY HH'h'mm'm'ss"],
  ['13 mars 2024 à 10:05:09', "D MMM YYYY 'à' HH:mm:ss"],
  ['13. März 2024 um 10:05:09 Uhr', "D. MMM YYYY 'um' HH:mm:ss 'Uhr'"],
  ['13 de marzo de 2024, 10:05:09', "D 'de' MMM 'de' YYYY, HH:mm:ss"],
  ['13. mar. 2024 kl. 10.05.09', "D. MMM YYYY 'kl'. HH.mm.ss"],
  ['2024. 3. 13. 오전 10:05:09', 'YYYY. M. D. A hh:mm:ss'],
  ['2024/3/13 午前 10:05:09', 'YYYY/M/D A hh:mm:ss'],
  ['March 13th, 2024 at 10:05:09 AM', "MMM Do, YYYY 'at' hh:mm:ss A"],
  ['Wednesday, March 13, 2024 10:05:09 AM', 'ddd, MMM D, YYYY hh:mm:ss A'],
  ['Wed, 13 Mar 2024 15:35:09 +0530', 'ddd, D MMM YYYY HH:mm:ss Z'],
  ['Wed, 13 Mar 2024 05:05:09 EST', 'ddd, D MMM YYYY HH:mm:ss z'],
  ['Wed Mar 13 10:05:09 2024', 'ddd MMM D HH:mm:ss YYYY'],
  ['Wed Mar 13 10:05:09 UTC 2024', 'ddd MMM D HH:mm:ss Z YYYY'],
  ['Wed Mar 13 11:05:09 CET 2024', 'ddd MMM D HH:mm:ss z YYYY'],
  ['Wed Mar 13 10:05:09 +0000 2024', 'ddd MMM D HH:mm:ss Z YYYY'],
  ['Wed Mar 13 2024 10:05:09 GMT+0000 (Koordinierte Weltzeit)', 'ddd MMM D YYYY HH:mm:ss Z (z)'],
  ['2024-03-13 10:05:09 +0000 UTC', 'YYYY-MM-DD HH:mm:ss Z z'],
  ['2024-03-13T11:05:09+01:00[Europe/Paris]', 'YYYY-MM-DDTHH:mm:ssZ[z]'],
  ['2024-03-13 10:05:09 Europe/London', 'YYYY-MM-DD HH:mm:ss z'],
  ['2024-03-13 06:05:09 America/New_York', 'YYYY-MM-DD HH:mm:ss z'],
  ['Wed Mar 13 11:05:09 2024 +0100', 'ddd MMM D HH:mm:ss YYYY Z'],
  ['13-MAR-24 10.05.09.000000 AM', 'D-MMM-YY hh.mm.ss.SSSSSS A'],
  ['13Mar2024:10:05:09', 'DMMMYYYY:HH:mm:ss'],
  ['13/Mar/2024:10:05:09 +0000', 'D/MMM/YYYY:HH:mm:ss Z'],
  ['24-Mar-13 10:05:09', 'YY-MMM-D HH:mm:ss'],
  ['2024/03/13 11:05:09 AM GMT+1', 'YYYY/MM/DD hh:mm:ss A Z'],
  ['2024-Mar-13 10:05:09', 'YYYY-MMM-D HH:mm:ss'],
  ['2024年3月13日 10时05分09秒', 'YYYY年M月D日 HH时mm分ss秒'],
  ['2024-03-13 10:05:09:000', 'YYYY-MM-DD HH:mm:ss:SSS'],
  ['/Date(1710324309000)/', "'/Date('epoch_ms)/"],
  ['/Date(1710324309000+0100)/', "'/Date('epoch_msZ)/"],
  ['1.710324309E+09', 'epoch_s'],
  ['@1710324309', '@epoch_s'],
  ["'2024-03-13 10:05:09", "''YYYY-MM-DD HH:mm:ss"],
  ['="2024-03-13 10:05:09"', '="YYYY-MM-DD HH:mm:ss"'],
  ['ISODate("2024-03-13T10:05:09.000Z")', `'ISODate("'YYYY-MM-DDTHH:mm:ss.SSSZ")`],
])('%s is of the form %s, which reads it', (text, format) => {
  const [first, ...others] = formatsOf(text)
  expect(first === format || others.includes(format) ? format : first).toBe(format)
  const instant = compileTimeFormat(format)(text, undefined)
  expect(formatInstant(instant!).slice(0, 19)).toBe(MOMENT)
})

test.each([
  ['2024-W11-3', "GGGG-'W'WW-E"],
  ['2024-073', 'YYYY-DDDD'],
  ['20240313', 'YYYYMMDD'],
  ['13-Mar-2024', 'D-MMM-YYYY'],
])('%s is a day of the form %s', (text, format) => {
  expect(formatsOf(text)).toEqual([format])
  expect(formatInstant(compileTimeFormat(format)(text, undefined)!)).toBe('2024-03-13T00:00:00.000000Z')
})

test.each([
  ['Wed Mar 13 10:05:09 CST 2024', 'the clock of Chicago, Shanghai or Havana'],
  ['2024-03-13 10:05:09 IST', 'the clock of India, Israel or Ireland'],
  ['1.71032E+12', 'digits are lost'],
  ['13 Foo 2024 10:05', 'no month'],
  ['10.0.0.1', 'an address'],
  ['1-2-3', 'numbers'],
  ['it’s 5 May', 'prose'],
  ["'quoted'", 'a word'],
])('%s has no form: %s', (text) => expect(formatsOf(text)).toEqual([]))

test('every form that is proposed reads its text, or refuses it', () => {
  for (const text of [
    '31/12/2024 10h',
    '1/2/2024 5 PM',
    '2024/13/45',
    '31.12.24',
    '12:00 1/2/2024',
    '05/2024',
  ])
    for (const format of formatsOf(text))
      expect(() => compileTimeFormat(format)(text, undefined)).not.toThrow()
})

test.each(['15.03.2024 ÖS 10:00', '2024-03-15 em 10:00', '2024. 03. 15. du. 10:00'])(
  'a word that may say the half of the day is not passed over: %s',
  (text) => expect(formatsOf(text)).toEqual([]),
)
