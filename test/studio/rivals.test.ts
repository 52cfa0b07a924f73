import { expect, test } from 'vitest'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { setupOf } from '../../src/studio/setup/setup-of.ts'
import { firstOf } from './first-of.ts'

async function fieldsOf(text: string) {
  const { yaml, lines, missing } = await firstOf(text)
  const fields = missing.length > 0 ? {} : parseMapping(yaml, 'm').mapping.fields
  return { fields, yaml, asked: lines.join('\n') }
}

/** A table of events with two more columns, each a function of the row and of its person. */
function table(
  one: string,
  other: string,
  cells: (n: number, person: number) => [string, string],
  rows = 12,
) {
  const lines = Array.from({ length: rows }, (_, n) => {
    const person = n % 4
    return [`u${person}`, n % 3 === 0 ? 'buy' : 'view', ...cells(n, person), n].join(',')
  })
  return `user_id,event,${one},${other},amount\n${lines.join('\n')}\n`
}

const day = (n: number) => String(1 + n).padStart(2, '0')
const moment = (n: number) => `2024-03-${day(n)} 08:${day(n)}:00`

test.each([
  [
    'user_created_at',
    'event_at',
    (n: number, person: number) => [`2019-0${person + 1}-02 10:00:00`, moment(n)],
  ],
  ['loaded_at', 'happened', (n: number) => [`2024-05-${day(n)} 23:59:50`, moment(n)]],
  [
    'birthdate',
    'registered_at',
    (n: number, person: number) => [`198${person}-05-0${person + 1}`, moment(n)],
  ],
  ['date', 'occurred', (n: number) => [`2024-03-${day(n)}`, moment(n)]],
  // By values alone: the same for a person in all rows, one load for many rows.
  ['a_time', 'b_time', (n: number, person: number) => [`2024-02-0${person + 1} 10:00:00`, moment(n)]],
  ['a_at', 'b_at', (n: number) => [`2024-05-0${1 + (n >> 2)} 02:00:00`, moment(n)]],
] as const)('of %s and %s the second is when it happened, in either order', async (one, other, cells) => {
  const forth = await fieldsOf(table(one, other, (n, person) => [...cells(n, person)] as [string, string]))
  const back = await fieldsOf(
    table(other, one, (n, person) => [...cells(n, person)].reverse() as [string, string]),
  )
  expect([forth.fields.timestamp, back.fields.timestamp]).toEqual([[other], [other]])
})

test('two times that are as good are asked about with an example of each, and the studio takes the other', async () => {
  const { fields, yaml, asked } = await fieldsOf(
    table('Paid at', 'Created at', (n) => [moment(n), moment(n)]),
  )
  expect(fields.timestamp).toEqual(['Created at'])
  expect(asked).toContain(
    'Created at, as "2024-03-01 08:01:00"; or Paid at, as "2024-03-01 08:01:00": which is',
  )
  expect(yaml.replaceAll(/\n {2}# +/g, ' ')).toContain('timestamp: "Paid at" takes the other')
  const question = setupOf(yaml, true)!.questions.find(({ text }) => text.includes('which is'))
  expect(question?.answers.flatMap(({ edits }) => edits)).toEqual([
    { kind: 'set_field', field: 'timestamp', path: 'Paid at' },
  ])
})

test.each(['id', 'ID', '_id'])(
  'of people %s or email may be what events call them by, which is asked',
  async (id) => {
    const rows = Array.from({ length: 12 }, (_, n) => `${1000 + n},p${n}@example.com,${moment(n)},pro`)
    const { asked } = await fieldsOf(`${id},email,signup_date,plan\n${rows.join('\n')}\n`)
    expect(asked).toContain(`email, as "p0@example.com"; or ${id}, as "1000": which is the person's id?`)
  },
)

test.each(['external_id', 'identity', 'crm_id'])(
  'an e-mail is asked about where %s is the id of the same people',
  async (name) => {
    const rows = Array.from(
      { length: 9 },
      (_, n) => `a,${1_709_287_200 + n},p${n % 4}@b.c,x${n % 4},${n % 2}`,
    )
    const { asked } = await fieldsOf(`event,ts,email,${name},size\n${rows.join('\n')}\n`)
    expect(asked).toContain(`email, as "p0@b.c"; or ${name}, as "x0": which is the person's id?`)
    expect(
      (await fieldsOf(`event,ts,email,${name},size\n${rows.slice(0, 4).join('\n')}\n`)).asked,
    ).not.toContain('which')
  },
)

const ndjson = (...records: readonly object[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('')
const time = (n: number) => `2024-03-01T10:00:${day(n)}Z`

test("a vendor's own id is not the customer's, and stands in where that is missing", async () => {
  const braze = [0, 1, 2].map((n) => ({
    name: 'Tried',
    user_id: `5f0${n}`,
    ...(n < 2 && { external_user_id: `cust${n}` }),
    time: time(n),
  }))
  expect((await fieldsOf(ndjson(...braze))).fields.distinct_id).toEqual(['external_user_id', 'user_id'])
  const pipeline = [0, 1, 2].map((n) => ({
    event_name: 'Sign Up',
    distinct_id: `$device:d${n}`,
    device_id: `d${n}`,
    ...(n < 2 && { user_id: 'u1' }),
    time: time(n),
  }))
  expect((await fieldsOf(ndjson(...pipeline))).fields.distinct_id).toEqual(['user_id', 'device_id'])
})

test('an e-mail and a number of a customer, each of one person: it is asked which', async () => {
  const text = table('Email', 'customer_number', (n) => [`p${n % 4}@example.com`, `100${n % 4}`]).replace(
    'user_id',
    'note',
  )
  const { asked } = await fieldsOf(
    text.replace('amount', 'event_time').replaceAll(/,(\d+)$/gm, ',2024-03-01 10:00:$1'),
  )
  expect(asked).toMatch(
    /Email, as "p0@example.com"; or customer_number.*which is the person's id|customer_number.*or Email.*which is/,
  )
})

test.each([
  ['100.0', /^distinct_id: all 12 values of customer_id end in .0, as 100.0/m],
  ['1.23457E+17', /^distinct_id: customer_id has 1.23457E\+17: a spreadsheet cut/m],
  ['=""007""', /^distinct_id: customer_id has ="007", as exports for spreadsheets/m],
])('ids that a program changed are asked about: %s', async (id, question) => {
  const rows = table('customer_id', 'event_at', (n) => [`"${id}"`, moment(n)])
  expect((await fieldsOf(rows.replace('user_id', 'note'))).asked).toMatch(question)
})

test.each([
  ['id', (n: number) => `evt_1Oq${n}`],
  ['id', (n: number) => `ch_3Oq${n}`],
  ['id', (n: number) => `01HZX3M9K7QABCDEFGHJKMNP${n + 10}`],
  ['_id', (n: number) => `ObjectId(65e1a1a00000000000000${n + 10})`],
  ['order_number', (n: number) => `A-10${n}`],
  ['id', (n: number) => `6f9619ff-8b86-4d11-b42d-0000000000${n + 10}`],
])('a unique %s is proposed as the id of the event', async (name, value) => {
  const { fields, asked } = await fieldsOf(table(name, 'event_at', (n) => [value(n), moment(n)]))
  expect(fields.uuid).toEqual([name])
  expect(asked).toContain("is it the event's id?")
})

test('a member uuid that repeats over records that differ is no id, but one of true copies is', async () => {
  const id = (n: number) => `6f9619ff-8b86-4d11-b42d-0000000000${n + 10}`
  const users = await fieldsOf(table('uuid', 'event_at', (n) => [id(n % 3), moment(n)]))
  expect(users.fields.uuid).toEqual([])
  expect(users.asked).toContain('uuid has 3 values in 12 records that differ')
  const events = [0, 1, 2].map((n) => ({ uuid: id(n), event: 'E', user_id: 'u', at: time(n) }))
  expect((await fieldsOf(ndjson(...events, ...events))).fields.uuid).toEqual(['uuid'])
})

test('filled counts more than a name, and a finer name goes before the kind of an event', async () => {
  const filled = Array.from({ length: 13 }, (_, n) => ({
    user_id: `u${n % 3}`,
    ...(n < 2 && { name: n === 0 ? 'A' : 'B', changedAt: time(0) }),
    ...(n !== 5 && { action: n % 2 ? 'open' : 'close', seen_at: time(n) }),
  }))
  expect((await fieldsOf(ndjson(...filled))).fields).toMatchObject({
    event: ['action'],
    timestamp: ['seen_at'],
  })
  const story = Array.from({ length: 12 }, (_, n) => ({
    UserId: `u${n % 3}`,
    EventStart: time(n),
    EventType: n % 3 === 0 ? 'custom' : n % 3 === 1 ? 'click' : 'navigate',
    ...(n % 3 === 0 && { EventCustomName: n % 2 ? 'Paid' : 'Signed up' }),
  }))
  const { fields, asked } = await fieldsOf(ndjson(...story))
  expect(fields.event).toEqual(['EventCustomName', 'EventType'])
  expect(asked).toContain('the name is the finer one where there is one')
})

test('a name that all records share gives way to several under a name as good, and is asked about', async () => {
  const rows = ['Signed up', 'Bought', 'Viewed'].map(
    (name, at) => `track,${name},u${at},2024-03-0${at + 1}T10:00:00Z\n`,
  )
  const { fields, asked } = await fieldsOf(`event,event_name,user_id,timestamp\n${rows.join('')}`)
  expect(fields.event).toEqual(['event_name'])
  expect(asked).toContain('or event, as "track"')
})

test('anonymous ids that are users in other records are asked about: two users would become one person', async () => {
  const row = (n: number, anonymous: string) => `a,${1_709_287_200 + n},ku${n % 3},${anonymous}`
  const of = (odd: string) =>
    fieldsOf(['event,ts,user_id,anonymous_id', row(0, 'a0'), row(1, odd), row(2, '')].join('\n'))
  expect((await of('ku0')).asked).toContain(
    'holds ids that are a user_id elsewhere (1, as "ku0"), beside another user_id',
  )
  for (const fine of ['ku1', 'a1']) expect((await of(fine)).asked).not.toContain('elsewhere')
})
