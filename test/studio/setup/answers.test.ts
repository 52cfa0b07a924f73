import { expect, test } from 'vitest'
import { FILL_IN } from '../../../src/mapping/mapping.ts'
import { parseMapping } from '../../../src/mapping/mapping-file.ts'
import { editMapping } from '../../../src/studio/edit-mapping.ts'
import { settleQuestion, setupOf } from '../../../src/studio/setup/setup-of.ts'
import type { Edit, SetupAnswer } from '../../../src/studio/studio-data.ts'
import { firstOf } from '../first-of.ts'

const settled = (yaml: string, question: string, edits: readonly Edit[]) =>
  edits.reduce((text, edit) => editMapping(text, edit, (name) => name), settleQuestion(yaml, question))
const rows = (count: number, row: (at: number) => string) => Array.from({ length: count }, (_, at) => row(at))

/** Inputs that `init` asks about, and the beginnings of what it asks. */
const TABLES: ReadonlyArray<
  readonly [file: string, header: string, body: readonly string[], asked: RegExp[]]
> = [
  [
    'x.csv',
    'name,client,when,amount,ok',
    rows(
      40,
      (at) =>
        `buy ${at % 3},c${at % 5},0${1 + (at % 9)}/0${1 + (at % 7)}/2024 10:00,"1,${100 + at}",${at % 2}`,
    ),
    [/likeliest; is it the event's name/, /or is it DD/, /carry no zone/],
  ],
  [
    'y.csv',
    'event,user_id,time,price,props,company_id',
    rows(60, (at) =>
      [
        at === 5 ? 'buy' : `view ${at % 4}`,
        at % 4 === 0 ? '' : `u${at % 6}`,
        `2024-03-01T12:00:${10 + (at % 49)}Z`,
        at === 7 ? 'free' : `${at}.5`,
        `"{""a"":${at}}"`,
        `acme-${at % 3}`,
      ].join(','),
    ),
    [/have no person there/, /cells are not such a value/, /its members become properties/, /group's key/],
  ],
  [
    'z.csv',
    'event,user_id,visitor_id,date,clock',
    rows(60, (at) =>
      [
        'view',
        at % 3 === 0 ? '' : `u${at % 6}`,
        `v${at % 12}`,
        `${10 + (at % 18)}.03.2024`,
        `1${at % 10}:30`,
      ].join(','),
    ),
    [/one anonymous person/],
  ],
  [
    'orders.csv',
    'user_id,time,total',
    rows(30, (at) => `u${at % 4},2024-03-01T12:00:00Z,${at}`),
    [/nothing in the records names/],
  ],
  [
    'visits.ndjson',
    '{}',
    rows(30, (at) => `{"user_id":"u${at % 4}","seen":[{"event":"a","at":"2024-03-01T12:00:00Z"}]}`),
    [/: each element becomes an event, and 1 record without any none/],
  ],
  [
    'bought.ndjson',
    '{}',
    rows(
      30,
      (at) =>
        `{"event":"buy","user_id":"u${at % 4}","at":"2024-03-01T12:00:00Z","items":[{"time":"2024-03-01T12:00:00Z"}]}`,
    ),
    [/: are these the events\? "explode: items" makes an event of each/],
  ],
  [
    'customers.csv',
    'user_id,time,total',
    rows(30, (at) => `u${at % 4},2024-03-01T12:00:00Z,${at}`),
    [/are people by/],
  ],
  [
    'users.csv',
    'email,name,created_at',
    rows(30, (at) => `u${at}@x.example,Ann,2024-03-01T12:00:00Z`),
    [/these rows are people/],
  ],
]

test.each(TABLES)('each question about %s can be answered by a click', async (file, header, body, wanted) => {
  const { yaml } = await firstOf({ [file]: [header, ...body].join('\n') })
  const open = setupOf(yaml, true)!.questions
  for (const question of wanted) expect(open.map(({ text }) => text).join('\n')).toMatch(question)
  for (const { text, answers } of open) {
    // The words of the question are known: see setup/answers.ts.
    expect([text, ...answers.map(({ label }) => label)]).not.toContain('Leave it so')
    for (const answer of answers) {
      const edits = [...answer.edits, ...chosen(answer)]
      const after = settled(yaml, text, edits)
      expect(setupOf(after, true)!.questions.map((one) => one.text)).not.toContain(text)
      if (!after.includes(FILL_IN)) parseMapping(after, 'm')
    }
  }
})

/** What a user may choose where an answer asks for something. */
function chosen({ choose }: SetupAnswer): Edit[] {
  switch (choose?.what) {
    case 'field':
      return [{ kind: 'set_field', field: choose.field, path: 'other' }]
    case 'fallback':
      return [{ kind: 'add_field', field: choose.field, path: 'other' }]
    case 'time of day':
      return [{ kind: 'set_day_and_time', day: choose.day, time: 'clock', format: 'DD.MM.YYYY HH:mm' }]
    case 'zone':
      return [{ kind: 'set_timezone', zone: 'Europe/Vienna' }]
    default:
      return []
  }
}

test('a list that is none takes its fields along, and one that is becomes the events', () => {
  const yaml = `explode: seen
  # ? 30 of 30 records hold a list seen, whose 60 elements have seen.at of their own: each element becomes an event. Is it one?
fields:
  event: [seen.event, kind]
  distinct_id: user
  timestamp: seen.at
`
  const after = (text: string, at: number) => {
    const [question] = setupOf(text, false)!.questions
    const { edits } = question!.answers[at]!
    return settled(text, question!.text, edits)
  }
  expect(after(yaml, 0)).toMatch(/^explode: seen\nfields:/)
  expect(after(yaml, 1)).toBe('fields:\n  event: kind\n  distinct_id: user\n')
  const offered = `preset: events
# ? 3 of 3 records hold a list x, whose 3 elements have x.at of their own: are these the events? "explode: '"a.x"'" makes an event of each
fields: { event: a }
`
  expect(parseMapping(after(offered, 1), 'm').mapping.explode).toBe('a.x')
})

test('a question is answered by a change elsewhere on the page too, and one of another column is not', () => {
  const yaml = `fields:
  distinct_id: a
  # ? 3 of 40 records have no person there and are rejected: is it in another place too? [a, b] takes the first that has a value
columns:
  Total: { type: number }
  #   ? 2 of 9 cells are not such a value: they stay text
  Sum: { type: number }
  #   ? 4 of 9 cells are not such a value: they stay text
`
  const left = (edit: Edit) =>
    setupOf(
      editMapping(yaml, edit, (name) => name),
      true,
    )!.questions.length
  expect(left({ kind: 'add_field', field: 'distinct_id', path: 'b' })).toBe(2)
  expect(left({ kind: 'add_field', field: 'timestamp', path: 'b' })).toBe(3)
  expect(left({ kind: 'set_column', column: 'Sum', rule: { type: 'text' } })).toBe(2)
  expect(left({ kind: 'drop_event', event: 'x' })).toBe(3)
})

test('a question below a day and a time of day is about the timestamp', () => {
  const yaml =
    'fields:\n  time: [Tag, Zeit]\n  # ? by its name and values Tag is the likeliest; is it the time of the event?\n'
  expect(setupOf(yaml, true)!.questions[0]!.answers[1]!.choose).toEqual({ what: 'field', field: 'timestamp' })
})

test('columns that are named in no header have no types to choose', () => {
  expect(setupOf('columns_from: names.tsv\n', true)!.hasColumns).toBe(false)
  expect(setupOf('', true)!.hasColumns).toBe(true)
})
