import { expect, test } from 'vitest'
import { formatInstant } from '../../src/record/time.ts'
import { compileTimeFormat } from '../../src/record/time-format.ts'

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
  ['epoch_ns', '1.7e18'],
  ['excel', '60.5'],
  ['excel', '0.75'],
  ['excel', '-1'],
  ['excel', '1709294400'],
  ['excel', '2958466'],
  ['excel', '45650,75'],
  ['excel', '4.565E4'],
  ['excel-1904', '2957004'],
])('%s refuses %s', (format, text) => expect(read(format, text)).toBeUndefined())

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
