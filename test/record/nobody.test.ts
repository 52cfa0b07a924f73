import { expect, test } from 'vitest'
import { isNobody } from '../../src/record/nobody.ts'

test.each([
  ...['anonymous', 'Anonymous', ' GUEST ', 'distinctid', 'distinct_id', 'id', 'not_authenticated', 'email'],
  ...[
    ...['undefined', 'true', 'false', '[object Object]', 'NaN', 'None', 'none', 'null', '0', '-1', 'anon'],
    ...['nil', '(null)', '<NIL>', '-', '--', '(not set)', '"-"'],
  ],
  ...[
    ...['n/a', 'na', 'unknown', '[]', '{}', '', '  ', '"anonymous"', "'guest'", '""', '"0"'],
    '"Not_Authenticated"',
  ],
  ...['00000000-0000-0000-0000-000000000000', '"00000000-0000-0000-0000-000000000000"'],
  `${' '.repeat(50)}null${' '.repeat(50)}`,
  ...[' "null" ', "'' ", '\u0085', '\u0085guest'],
])('%j is shared by many', (id) => expect(isNobody(id)).toBe(true))

test.each([
  ...['u1', 'anonymous1', 'null-user', '00000000-0000-0000-0000-000000000001', '1', 'id7', 'a@example.com'],
  ...['"u1"', '"anonymous\'', 'x'.repeat(200), '__proto__', 'constructor', '-x', '---', '(a)'],
])('%j is somebody', (id) => expect(isNobody(id)).toBe(false))
