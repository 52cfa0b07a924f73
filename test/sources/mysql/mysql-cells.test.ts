import type { FieldPacket } from 'mysql2'
import { describe, expect, test } from 'vitest'
import { mysqlCellWriter, mysqlColumn } from '../../../src/sources/mysql/mysql-cells.ts'
import { rightsToWrite } from '../../../src/sources/mysql/mysql-database.ts'

/* What a MariaDB has is tried in test/ci/mariadb.test.ts; here is what it has not, and MySQL has. */

const BINARY = 63

function cell(
  field: Pick<FieldPacket, 'columnType' | 'extendedFormat'> & { flags?: number; characterSet?: number },
  text: string,
): string | null {
  const whole = { name: 'c', flags: 0, characterSet: BINARY, ...field } as FieldPacket
  return mysqlCellWriter(whole, { notFinite: () => undefined })(Buffer.from(text))
}

describe('a cell', () => {
  test.each([
    ['JSON of MySQL, as it stands', { columnType: 245 }, '{"a": 1.10}', '{"a": 1.10}'],
    [
      'JSON of MariaDB',
      { columnType: 252, extendedFormat: 'json', characterSet: 45 },
      '{"a":\n1}',
      '{"a": 1}',
    ],
    [
      'what only MariaDB takes for JSON',
      { columnType: 252, extendedFormat: 'json' },
      '["\t"]',
      '"[\\"\\t\\"]"',
    ],
    ['a vector', { columnType: 242 }, '\0\u0001', '"AAE="'],
    ['a timestamp that is none', { columnType: 7 }, '0000-00-00 00:00:00', '"0000-00-00 00:00:00"'],
    ['the year zero', { columnType: 13, flags: 64 }, '0000', '"0000"'],
    ['a year', { columnType: 13, flags: 64 }, '2024', '2024'],
    ['digits with zeros before them', { columnType: 3, flags: 64 }, '42', '"42"'],
    ['a whole number of any length', { columnType: 8 }, '18446744073709551615', '18446744073709551615'],
    ['a float, by the fewest digits', { columnType: 4 }, '0.10000000149011612', '0.1'],
    ['the smallest float', { columnType: 4 }, '1.401298464324817e-45', '1e-45'],
    ['a float below zero that is zero', { columnType: 4 }, '-0', '-0'],
    ['text', { columnType: 253, characterSet: 45 }, 'a"\u2028\n', '"a\\"\u2028\\n"'],
    ['bytes', { columnType: 253 }, 'a', '"YQ=="'],
  ] as const)('%s', (_, field, text, json) => {
    expect(cell(field, text)).toBe(json)
  })

  test('tells which columns windows and keys can go by', () => {
    const column = (columnType: number, flags: number) =>
      mysqlColumn({ name: 'c', columnType, flags } as FieldPacket)
    expect(column(7, 1)).toMatchObject({
      type: 'timestamp',
      time: 'instant',
      nullable: false,
      timeless: true,
    })
    expect(column(12, 0)).toMatchObject({ type: 'datetime', time: 'naive', nullable: true })
    expect(column(10, 0)).toMatchObject({ time: 'date' })
    expect(column(8, 1)).toMatchObject({ integer: true, time: undefined, timeless: false })
    expect(column(13, 1)).toMatchObject({ integer: false, time: undefined })
  })
})

test.each([
  ['GRANT SELECT, SHOW VIEW ON `shop`.* TO `reader`@`%`', []],
  ["GRANT USAGE ON *.* TO `reader`@`%` IDENTIFIED BY PASSWORD '*94BD'", []],
  ['GRANT SELECT (`id`, `name`), INSERT ("id") ON "shop"."events" TO "w"@"%"', ['INSERT on shop.events']],
  ['GRANT ALL PRIVILEGES ON *.* TO `root`@`%` WITH GRANT OPTION', ['ALL PRIVILEGES on *.*']],
  ['GRANT FILE, BINLOG_ADMIN ON *.* TO `w`@`%`', ['FILE, BINLOG_ADMIN on *.*']],
  ['GRANT `a role` TO `reader`@`%`', []],
])('%s: %s', (grant, rights) => {
  expect(rightsToWrite(grant)).toEqual(rights)
})
