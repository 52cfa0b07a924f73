import { describe, expect, test } from 'vitest'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { type Column, guessFields, starterLines } from '../../src/mapping/starter.ts'

const NOW = Date.UTC(2026, 0, 1) * 1000

/** Columns of a table whose values are these texts. */
function table(columns: Readonly<Record<string, readonly string[]>>, isText = true) {
  const all = Object.entries(columns).map(([name, texts]): Column => {
    const values = texts.filter((text) => text !== '').map((text) => JSON.stringify(text))
    return { name, isPath: name !== '' && !name.includes('.'), values }
  })
  return { columns: all, records: Math.max(...Object.values(columns).map(({ length }) => length)), isText }
}

function guessed(columns: Readonly<Record<string, readonly string[]>>) {
  return Object.fromEntries(
    Object.entries(guessFields(table(columns), NOW)).map(([field, { column }]) => [field, column.name]),
  )
}

describe('columns are known', () => {
  test.each([
    ['by the names of warehouses', ['EVENT_NAME', 'USER_ID', 'CREATED_AT', 'EVENT_ID']],
    ['by the names of the service', ['event', 'distinct_id', 'timestamp', 'uuid']],
    ['by other words', ['action', 'customerId', 'occurred_at', 'message_id']],
  ])('%s', (_, [event, person, time, id]) => {
    const columns = {
      [id!]: ['a', 'b'],
      plan: ['pro', 'pro'],
      [time!]: ['2024-03-01 12:00:00', '2024-03-02 12:00:00'],
      [person!]: ['u1', 'u2'],
      [event!]: ['Buy', 'Buy'],
    }
    expect(guessed(columns)).toEqual({ event, distinct_id: person, timestamp: time, uuid: id })
  })

  test('by their values where no name tells', () => {
    const columns = { x: ['Buy', 'Buy', 'Sell'], y: ['a', 'b', 'c'], z: Array(3).fill('1709294400') }
    expect(guessed(columns)).toEqual({ event: 'x', distinct_id: 'y', timestamp: 'z' })
  })

  test('by more than a part of the name: an id or the properties of an event are not its name', () => {
    const columns = {
      event_id: ['e1', 'e2'],
      event_time: ['2024-03-01 12:00:00', '2024-03-02 12:00:00'],
      event_properties: ['{}', '{}'],
      flag: ['true', 'true'],
      name: ['Buy', 'Sell'],
      distinct_id: ['u', 'v'],
    }
    expect(guessed(columns)).toEqual({
      event: 'name',
      distinct_id: 'distinct_id',
      timestamp: 'event_time',
      uuid: 'event_id',
    })
  })

  test('never as a time that no event can have, nor as an id that recurs', () => {
    const columns = {
      event: ['a', 'b'],
      user_id: ['u', 'u'],
      time: ['1', '2'],
      uuid: ['i', 'i'],
      day: ['x', 'y'],
    }
    expect(guessed(columns)).toEqual({ event: 'event', distinct_id: 'user_id' })
  })
})

test('the mapping file can be read, and says what cells hold', () => {
  const lines = starterLines(
    table({
      '': ['0', '1'],
      'user.id': ['u1', 'u2'],
      'What: happened': ['a', 'a'],
      at: ['2024-03-01T12:00:00Z', '2024-03-01T12:00:00Z'],
      amount: ['1.5', ''],
      zip: ['1010', '8010'],
      props: ['{"a":1}', '[]'],
      on: ['true', 'FALSE'],
    }),
    'events',
    NOW,
  )
  const { preset, mapping, columns } = parseMapping(lines.join('\n'), 'mapping.yaml')
  expect(preset).toBe('events')
  expect(mapping.fields).toEqual({ event: ['What: happened'], timestamp: ['at'] })
  expect(columns.columns).toMatchObject({
    '': null,
    'user.id': { path: ['distinct_id'] },
    amount: { type: 'number' },
    props: { json: true },
    on: { type: 'boolean' },
  })
  expect(columns.columns).not.toHaveProperty('zip')
})

test('what no column can be is left to the user, in a file that can be read all the same', () => {
  const lines = starterLines(table({ note: ['a'] }, false), 'events', NOW)
  expect(lines.filter((line) => line.startsWith('  #'))).toHaveLength(2)
  expect(parseMapping(lines.join('\n'), 'mapping.yaml').mapping.fields).toEqual({ event: ['note'] })
  expect(parseMapping(starterLines(table({ note: [''] }), 'events', NOW).join('\n'), 'm').preset).toBe(
    'events',
  )
})
