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
    ['by other words', ['eventAction', 'customerId', 'occurred_at', 'message_id']],
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

  test.each([
    ['who', 'what', 'when'],
    ['customer', 'activity', 'date'],
    ['actor', 'name', 'day'],
    ['username', 'operation', 'created_on'],
    ['person_no', 'type', 'sent'],
    ['account', 'actionName', 'logged'],
  ])('by words of daily life, which are a guess: %s, %s, %s', (person, event, time) => {
    const columns = { [time]: ['2024-03-01 12:00:00'], [person]: ['u1'], [event]: ['signup'], plan: ['pro'] }
    expect(guessed(columns)).toEqual({ event, distinct_id: person, timestamp: time })
    const lines = starterLines(table(columns), 'events', NOW)
    expect(lines).toContain(`  event: ${event}  # a guess: see if it is`)
  })

  test('by a sure name before one that may mean something else', () => {
    const columns = {
      name: ['Ann'],
      who: ['x'],
      action: ['Buy'],
      user_id: ['u1'],
      date: ['2024-03-01 12:00:00'],
    }
    expect(guessed(columns)).toEqual({ event: 'action', distinct_id: 'user_id', timestamp: 'date' })
  })

  test('as the time where only one column holds times', () => {
    const times = { x: ['1709294400'], y: ['a'] }
    expect(guessed(times)).toEqual({ timestamp: 'x' })
    expect(guessed({ ...times, z: ['1709294401'] })).toEqual({})
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

test('a column that nothing tells is left open, and the file is refused until it is filled in', () => {
  const columns = { x: ['Buy', 'Buy', 'Sell'], plan: ['a', 'b', 'c'], z: Array<string>(3).fill('1709294400') }
  const lines = starterLines(table(columns), 'events', NOW)
  expect(lines).toEqual([
    'preset: events',
    'fields:',
    '  event: FILL_IN  # which column is it?',
    '  distinct_id: FILL_IN  # which column is it?',
    '  timestamp: z  # a guess: see if it is',
  ])
  const half = lines.map((line) => line.replace('event: FILL_IN', 'event: x'))
  expect(() => parseMapping(lines.join('\n'), 'm')).toThrow('m:3:10: fields.event: is still FILL_IN')
  expect(() => parseMapping(half.join('\n'), 'm')).toThrow(
    expect.objectContaining({
      message: 'm:4:16: fields.distinct_id: is still FILL_IN, which stands for a name',
      hint: "write the column or member that holds the person's id",
    }),
  )
})

test('no line is so long that a terminal has to fold it', () => {
  const name = `unstruct_event_com_example_${'x'.repeat(40)}`
  const lines = starterLines(table({ [name]: ['{"a":1}'] }), 'snowplow', NOW)
  expect(lines).toEqual(['preset: snowplow', 'columns:', `  ${name}:`, '    json: true'])
  expect(parseMapping(lines.join('\n'), 'm').columns.columns[name]).toMatchObject({ json: true })
})

test('a member that only lines of JSON have is no column', () => {
  const seen = table({ seats: ['1', '2'] })
  const total: Column = { name: 'total', isPath: true, values: ['99.5'] }
  const lines = starterLines({ ...seen, columns: [...seen.columns, total] }, 'heap', NOW)
  expect(lines).toEqual(['preset: heap', 'columns:', '  seats: { type: number }'])
})
