import { expect, test } from 'vitest'
import { type Said, unaccounted } from './oracle.ts'
import { jsonRecords, tableRecords } from './source-leaves.ts'

const NOTHING: Said = { members: {}, mends: {}, columns: [], rejected: [], filtered: {} }

const event = (properties: object) =>
  JSON.stringify({
    uuid: 'x',
    timestamp: '2024-03-01T10:40:00.000000Z',
    event: 'buy',
    distinct_id: 'u1',
    properties,
  })

function lostOf(cells: string, properties: object, said: Partial<Said> = {}): string[] {
  const records = tableRecords(`id;x\n7001;${cells}\n`, ';')
  return unaccounted({ records, key: 'id' }, [event({ id: '7001', ...properties })], { ...NOTHING, ...said })
}

test.each([
  ['00707', '00707'],
  ['14.365,30', 14_365.3],
  ['500,00-', -500],
  ['1,234.50', 1234.5],
  ['0.10', 0.1],
  ['t', true],
  ['2024-03-01 10:40:00', 'no other'],
  ['01.03.2024', 'no other'],
  ['10:40', 'no other'],
  ['45352.4444444', 'no other'],
  ['{"a":[1,"b"]}', { a: [1, 'b'] }],
])('%s is there as %j', (cell, made) => {
  expect(
    lostOf(
      cell.replace(/^\{.*$/, (json) => `"${json.replaceAll('"', '""')}"`),
      { x: made },
    ),
  ).toEqual([])
})

test.each([
  ['00707', 707],
  ['14365.30', 1_436_530],
  ['14.365,30', 14.3653],
  ['500,00-', 500],
  ['12e45', 12],
  ['INV-1001', 'INV'],
  ['Müller', 'M\ufffdller'],
  ['2024-03-01 11:40:00', 'no other'],
  ['02.03.2024', 'no other'],
  ['45353.4444444', 'no other'],
  ['gone', undefined],
  ['"{""a"":[1,""b""]}"', { a: [1] }],
])('%s is lost or bent in %j', (cell, made) => {
  expect(lostOf(cell, { x: made })).toHaveLength(1)
})

test('what is said is accounted for as often as it is said, and no more', () => {
  const records = tableRecords('id;x\n7001;a\n7002;b\n', ';')
  const events = ['7001', '7002'].map((id) => event({ id }))
  const members = (count: number) => ({ x: { 'left out: preset': count } })
  expect(unaccounted({ records, key: 'id' }, events, { ...NOTHING, members: members(2) })).toEqual([])
  expect(unaccounted({ records, key: 'id' }, events, { ...NOTHING, members: members(1) })).toEqual([
    'id=7002: x=b',
  ])
  expect(unaccounted({ records, key: 'id' }, events.slice(1), { ...NOTHING, members: members(2) })).toEqual([
    'id=7001: no event, no reject',
  ])
  const rejected = ['{"id":"7001"}']
  expect(
    unaccounted({ records, key: 'id' }, events.slice(1), { ...NOTHING, rejected, members: members(1) }),
  ).toEqual([])
})

test('NaN is accounted for by its mend alone', () => {
  const records = jsonRecords('{"id":7001,"x":NaN}')
  const said = (not_finite: number) => ({ ...NOTHING, mends: { not_finite } })
  expect(unaccounted({ records, key: 'id' }, [event({ id: 7001, x: null })], said(1))).toEqual([])
  expect(unaccounted({ records, key: 'id' }, [event({ id: 7001, x: null })], said(0))).toHaveLength(1)
})
