import { expect, test } from 'vitest'
import { formatInstant } from '../../src/record/time.ts'
import { compileTimeFormat, timeReader } from '../../src/record/time-format.ts'

function read(format: string, text: string, zone?: string): string | undefined {
  const instant = compileTimeFormat(format)(text, zone)
  return instant === undefined ? undefined : formatInstant(instant)
}

test.each([
  ['MM/DD/YYYY hh:mm A', '3/1/2024 1:05 PM', '2024-03-01T13:05:00.000000Z'],
  ['MM/DD/YYYY hh:mm:ss A', '12/31/2023 12:00:01 am', '2023-12-31T00:00:01.000000Z'],
  ['DD.MM.YYYY HH:mm', '31.12.2023 23:59', '2023-12-31T23:59:00.000000Z'],
  ['DD.MM.YYYY', '01.03.2024', '2024-03-01T00:00:00.000000Z'],
  ['YYYY-MM-DD', '2024-03-01', '2024-03-01T00:00:00.000000Z'],
  ['YYYY/MM/DD HH:mm:ss.SSS', '2024/03/01 07:08:09.1234567', '2024-03-01T07:08:09.123456Z'],
  ['DD/MMM/YYYY:HH:mm:ss Z', '01/Mar/2024:12:00:00 +0200', '2024-03-01T10:00:00.000000Z'],
  ['ddd, D MMM YYYY HH:mm:ss Z', 'Fri, 1 Mar 2024 12:00:00 GMT', '2024-03-01T12:00:00.000000Z'],
  ['MMMM D, YYYY', 'March 1, 2024', '2024-03-01T00:00:00.000000Z'],
  ['D.M.YY', '1.3.24', '2024-03-01T00:00:00.000000Z'],
  ['YYYYMMDDTHHmmss', '20240301T120000', '2024-03-01T12:00:00.000000Z'],
  ['YYYYMMDDTHHmmssZ', '20240301t120000z', '2024-03-01T12:00:00.000000Z'],
  ['YYYYMMDDHHmmssSSS', '20240301120000123', '2024-03-01T12:00:00.123000Z'],
  ['YYYYMMDDHHmm', '202403011200', '2024-03-01T12:00:00.000000Z'],
  ['YYYY-M-D H:m:s', '2024-3-1 7:8:9', '2024-03-01T07:08:09.000000Z'],
  ['YYYY:MM:DD HH:mm:ss.SSSSSS', '2024:03:01 10:00:00.047099', '2024-03-01T10:00:00.047099Z'],
  ["DD.MM.YYYY HH:mm 'Uhr'", '01.03.2024 10:00 Uhr', '2024-03-01T10:00:00.000000Z'],
  ["DD/MM/YYYY HH'h'mm", '01/03/2024 10h05', '2024-03-01T10:05:00.000000Z'],
  ["D MMMM YYYY 'à' HH:mm:ss", '31 décembre 2024 à 23:59:59', '2024-12-31T23:59:59.000000Z'],
  ["D MMMM YYYY 'à' HH:mm:ss", '1 fe\u0301vr. 2024 a\u0300 23:59:59', '2024-02-01T23:59:59.000000Z'],
  ["D 'de' MMMM 'de' YYYY", '4 de septiembre de 2024', '2024-09-04T00:00:00.000000Z'],
  ['D. MMMM YYYY', '1. März 2024', '2024-03-01T00:00:00.000000Z'],
  ['D. MMM YYYY', '1. Mrz. 2024', '2024-03-01T00:00:00.000000Z'],
  ['D MMMM YYYY', '5 listopada 2024', '2024-11-05T00:00:00.000000Z'],
  ['D. MMMM YYYY', '3. červen 2024', '2024-06-03T00:00:00.000000Z'],
  ['D MMMM YYYY', '3 lipiec 2024', '2024-07-03T00:00:00.000000Z'],
  ['D MMMM YYYY', '5 мая 2024', '2024-05-05T00:00:00.000000Z'],
  ['MMMM Do, YYYY', 'Sept. 2nd, 2024', '2024-09-02T00:00:00.000000Z'],
  ['DD/MM/YYYY hh:mm:ss A', '31/12/2024 11:59:59 p. m.', '2024-12-31T23:59:59.000000Z'],
  ['DD/MM/YYYY hh:mm A', '1/12/2024 12:05\u202fa.\u00a0m.', '2024-12-01T00:05:00.000000Z'],
  ['YYYY/MM/DD A hh:mm', '2024/3/1 下午 1:05', '2024-03-01T13:05:00.000000Z'],
  ['DD-MMM-YY hh.mm.ss.SSSSSS A', '01-MAR-24 11.30.00.000001 PM', '2024-03-01T23:30:00.000001Z'],
  [
    'ddd MMM DD YYYY HH:mm:ss Z (z)',
    'Fri Mar 01 2024 10:00:00 GMT+0100 (Mitteleuropäische Normalzeit)',
    '2024-03-01T09:00:00.000000Z',
  ],
  ['YYYY-MM-DD HH:mm:ss.SSS Z z', '2024-03-01 10:00:00.123456789 +0300 +03', '2024-03-01T07:00:00.123456Z'],
  ['YYYY-MM-DD HH:mm:ss Z z', '2024-03-01 10:00:00 +0000 UTC', '2024-03-01T10:00:00.000000Z'],
  ['YYYY/MM/DD hh:mm:ss A Z', '2024/03/01 10:00:00 PM GMT+1', '2024-03-01T21:00:00.000000Z'],
  ['YYYY-MM-DD HH:mm Z', '2024-03-01 10:00 UTC-3:30', '2024-03-01T13:30:00.000000Z'],
  ['ddd MMM D HH:mm:ss z YYYY', 'Tue Jul  2 10:00:00 PDT 2024', '2024-07-02T17:00:00.000000Z'],
  ['YYYY-MM-DD HH:mm:ss z', '2024-07-02 10:00:00 Europe/London', '2024-07-02T09:00:00.000000Z'],
  ['YYYY-MM-DDTHH:mm[z]', '2024-07-02T10:00[America/Argentina/Buenos_Aires]', '2024-07-02T13:00:00.000000Z'],
  ['YYYY-MM-DDTHH:mm:ssZ[z]', '2024-07-02T10:00:00+02:00[Europe/Paris]', '2024-07-02T08:00:00.000000Z'],
  ["''YYYY-MM-DD HH:mm", "'2024-03-01 10:00", '2024-03-01T10:00:00.000000Z'],
  ['="YYYY-MM-DD HH:mm"', '="2024-03-01 10:00"', '2024-03-01T10:00:00.000000Z'],
  ["'/Date('epoch_ms')/'", '/Date(1709287200000)/', '2024-03-01T10:00:00.000000Z'],
  ["'/Date('epoch_msZ')/'", '/Date(1709287200000+0200)/', '2024-03-01T10:00:00.000000Z'],
  ["GGGG-'W'WW-E", '2020-W53-6', '2021-01-02T00:00:00.000000Z'],
  ["GGGG-'W'WW", '2024-W01', '2024-01-01T00:00:00.000000Z'],
  ['YYYY-DDDD', '2024-366', '2024-12-31T00:00:00.000000Z'],
  ['epoch_s', '1.709287200E+09', '2024-03-01T10:00:00.000000Z'],
  ['epoch_s', '1.7092872005E+09', '2024-03-01T10:00:00.500000Z'],
  ['excel', '45650,75', '2024-12-24T18:00:00.000000Z'],
  // Real moments of old, which parseTime refuses as dates.
  ['epoch_s', '20240301', '1970-08-23T06:18:21.000000Z'],
  ['epoch_s', '1709294400.5', '2024-03-01T12:00:00.500000Z'],
  ['epoch_ms', '1709294400123', '2024-03-01T12:00:00.123000Z'],
  ['epoch_us', '1709294400123456', '2024-03-01T12:00:00.123456Z'],
  ['epoch_ns', '1709294400123456789', '2024-03-01T12:00:00.123456Z'],
  ['excel', '45650.75', '2024-12-24T18:00:00.000000Z'],
  ['excel', '45650', '2024-12-24T00:00:00.000000Z'],
  ['excel', '45650.7534722222', '2024-12-24T18:05:00.000000Z'],
  ['excel', '45650.753472222219', '2024-12-24T18:05:00.000000Z'],
  ['excel', '45650.75347', '2024-12-24T18:05:00.000000Z'],
  ['excel', '45650.75348101852', '2024-12-24T18:05:00.760000Z'],
  ['excel', '45650.9999999999', '2024-12-25T00:00:00.000000Z'],
  ['excel', '61', '1900-03-01T00:00:00.000000Z'],
  ['excel', '59', '1900-02-28T00:00:00.000000Z'],
  ['excel', '1', '1900-01-01T00:00:00.000000Z'],
  ['excel', '2958465.5', '9999-12-31T12:00:00.000000Z'],
  ['excel-1904', '44188.75', '2024-12-24T18:00:00.000000Z'],
  ['excel-1904', '0', '1904-01-01T00:00:00.000000Z'],
])('%s reads %s', (format, text, instant) => expect(read(format, text)).toBe(instant))

test.each([
  ['MM/DD/YYYY', '13/01/2024'],
  ['DD/MM/YYYY', '31/02/2024'],
  ['DD/MM/YYYY', '1/2/2024 10:00'],
  ['MM/DD/YYYY hh:mm A', '3/1/2024 13:05 PM'],
  ['DD.MM.YYYY HH:mm', '01.03.2024 24:00'],
  ['D MMM YYYY', '1 Foo 2024'],
  ['YYYY-MM-DD HH:mm Z', '2024-03-01 10:00 GMT+530'],
  ['epoch_ns', '1.7e18'],
  ['excel', '60.5'],
  ['excel', '0.75'],
  ['excel', '-1'],
  ['excel', '1709294400'],
  ['excel', '2958466'],
  ['excel', '4565,075'],
  ['YYYYMMDD', '2024111'],
  ['YYYYMMDDHHmm', '20240301100'],
  ['D MMMM YYYY', '1 Jui 2024'],
  ['D MMMM YYYY', '1 junk 2024'],
  ['D MMMM YYYY', '1 ma 2024'],
  // Another month in Croatian.
  ['D MMM YYYY', '3 lis 2024'],
  ['D MMM YYYY', '3 lip. 2024'],
  ['D MMM YYYY', '3 srp 2024'],
  ['ddd MMM D HH:mm:ss z YYYY', 'Fri Mar  1 10:00:00 CST 2024'],
  ['YYYY-MM-DD HH:mm:ss z', '2024-03-01 10:00:00 Europe/Atlantis'],
  ["GGGG-'W'WW-E", '2024-W53-1'],
  ['YYYY-DDDD', '2023-366'],
  ['epoch_ms', '1.70929E+12'],
  ["DD.MM.YYYY HH:mm 'Uhr'", '01.03.2024 10:00'],
  ['excel', '4.565E4'],
  ['excel-1904', '2957004'],
])('%s refuses %s', (format, text) => expect(read(format, text)).toBeUndefined())

test('among days as Excel counts them no number is one of seconds', () => {
  const read = timeReader(['excel'], 'UTC')
  expect(read('45650')).toBe(1_734_998_400_000_000)
  for (const text of ['60.5', '0.75', '1709294400']) expect(() => read(text)).toThrow('not a day as Excel')
})

test('times without an offset are of the zone', () => {
  expect(read('DD.MM.YYYY HH:mm', '01.03.2024 12:00', 'Europe/Vienna')).toBe('2024-03-01T11:00:00.000000Z')
  expect(read('DD.MM.YYYY HH:mm Z', '01.03.2024 12:00 Z', 'Europe/Vienna')).toBe(
    '2024-03-01T12:00:00.000000Z',
  )
  expect(read('excel', '45650.75', 'Europe/Vienna')).toBe('2024-12-24T17:00:00.000000Z')
})

test.each([
  ['HH:mm', 'a year, a month and a day'],
  ['DD.MM.YYYY DD', 'the day twice'],
  ['DD.MM.YYYY q', 'q stands for nothing'],
])('%s is no format', (format, why) => expect(() => compileTimeFormat(format)).toThrow(why))
