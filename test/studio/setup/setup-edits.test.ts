import { describe, expect, test } from 'vitest'
import { parseMapping } from '../../../src/mapping/mapping-file.ts'
import { editMapping } from '../../../src/studio/edit-mapping.ts'
import { withPlaces } from '../../../src/studio/setup/said-columns.ts'
import { settleQuestion, setupOf } from '../../../src/studio/setup/setup-of.ts'
import type { Edit } from '../../../src/studio/studio-data.ts'

const BEFORE = `# A line with "?" is a question: what is written is the likeliest answer.
preset: events

fields:
  event: Aktion # 300 names
  # ? by its name and values Aktion is the likeliest; is it the event's name?
  distinct_id: Kunde # 9 people
  # ? 3 of 40 records have no person there and are rejected: is it in another place too? [a, b] takes
  #   the first that has a value
  timestamp: Datum
time_format: DD.MM.YYYY
columns:
  Betrag: { type: number, decimal: ',' } # 100%  "1,50"
`

const edited = (yaml: string, ...edits: readonly Edit[]) =>
  edits.reduce((text, edit) => editMapping(text, edit, (name) => name), yaml)

describe('fallbacks', () => {
  const add: Edit = { kind: 'add_field', field: 'distinct_id', path: 'Mail' }

  test('a second path is added behind the first, and its comments stay', () => {
    const after = edited(BEFORE, add, add)
    // That there is no other place for a person was asked, and is answered.
    const settled = BEFORE.replace(/ {2}# \? 3 of 40.*\n.*\n/, '')
    expect(after).toBe(settled.replace('distinct_id: Kunde #', 'distinct_id: [ Kunde, Mail ] #'))
    expect(setupOf(after, true)!.fields.distinct_id).toEqual(['Kunde', 'Mail'])
    expect(parseMapping(after, 'm').mapping.fields.distinct_id).toEqual(['Kunde', 'Mail'])
  })

  test('of an id of the event that is none, the file says so: a preset would take another member for it', () => {
    const none: Edit = { kind: 'set_field', field: 'uuid', path: null }
    for (const before of [BEFORE, edited(BEFORE, { ...none, path: 'Nr' })]) {
      const after = edited(before, none)
      expect(after).toMatch(/^ {2}uuid: null$/m)
      expect(parseMapping(after, 'm').mapping.fields.uuid).toEqual([])
      expect(setupOf(after, true)!.fields.uuid ?? []).toEqual([])
      expect(edited(after, { ...none, path: 'Nr' })).toMatch(/^ {2}uuid: Nr$/m)
    }
  })

  test('one is removed; the last one gives the field back to the preset', () => {
    const three = edited(BEFORE, add, { kind: 'add_field', field: 'distinct_id', path: 'Gerät' })
    const remove = (path: string): Edit => ({ kind: 'remove_field', field: 'distinct_id', path })
    const one = edited(three, remove('Kunde'), remove('Mail'))
    expect(parseMapping(one, 'm').mapping.fields.distinct_id).toEqual(['Gerät'])
    const none = edited(one, remove('Gerät'))
    expect(parseMapping(none, 'm').mapping.fields.distinct_id).toBeUndefined()
    // The question of another field is below the one that was taken out.
    expect(none).toContain("# ? by its name and values Aktion is the likeliest; is it the event's name?")
  })

  test('what was still to be filled in is no fallback', () => {
    const open = BEFORE.replace('Kunde #', 'FILL_IN #')
    expect(parseMapping(edited(open, add), 'm').mapping.fields.distinct_id).toEqual(['Mail'])
  })
})

describe('types of columns', () => {
  const set = (rule: object, column = 'Betrag'): Edit =>
    ({ kind: 'set_column', column, rule }) as Extract<Edit, { kind: 'set_column' }>
  const columnsOf = (yaml: string) => parseMapping(yaml, 'm').columns.columns

  test.each([
    [{ type: 'number', decimal: ',', minus: 'after' }, "{ type: number, decimal: ',', minus: after }"],
    [{ type: 'number', decimal: '.', currency: '€' }, '{ type: number, decimal: ., currency: € }'],
    [{ type: 'time', formats: ['DD.MM.YYYY'] }, '{ type: time, format: DD.MM.YYYY }'],
    [{ type: 'list', separator: '|' }, '{ type: list, separator: "|" }'],
    [{ type: 'dropped' }, 'null'],
  ])('%j is written with the comment beside it', (rule, written) => {
    const after = edited(BEFORE, set(rule))
    const [, says] = /^ {2}Betrag: (.*?) +#/m.exec(after)!
    expect(says!.replaceAll("'", '"')).toBe(written.replaceAll("'", '"'))
    expect(after).toContain('# 100%  "1,50"')
    parseMapping(after, 'm')
  })

  test('a column keeps its place, whatever its cells are', () => {
    const placed = edited(BEFORE, { ...set({ type: 'text' }), to: 'amount' } as Edit)
    expect(columnsOf(placed).Betrag).toMatchObject({ path: ['amount'], type: undefined })
    const typed = edited(placed, set({ type: 'boolean' }))
    expect(columnsOf(typed).Betrag).toMatchObject({ path: ['amount'], type: 'boolean' })
    expect(columnsOf(edited(typed, set({ type: 'text' }))).Betrag).toMatchObject({ path: ['amount'] })
  })

  test('text is what a column is without a rule', () => {
    expect(columnsOf(edited(BEFORE, set({ type: 'text' })))).toEqual({})
  })

  test('a column with dots in its name gets a place, once, and keeps its type', () => {
    const edit: Edit = { kind: 'add_field', field: 'distinct_id', path: 'Kundennr.' }
    const columns = new Set(['Kundennr.', 'user.id'])
    const says = (path: string) => (path === 'row.id' ? '"row.id"' : path)
    const input = { columns, tables: [], says }
    const after = edited(BEFORE, ...withPlaces(BEFORE, edit, input))
    expect(columnsOf(after)['Kundennr.']).toMatchObject({ path: ['Kundennr'] })
    expect(setupOf(after, true)!.fields.distinct_id).toEqual(['Kunde', 'Kundennr'])
    const group: Edit = { kind: 'set_group', type: 'company', path: 'Kundennr.' }
    expect(withPlaces(after, group, input)).toEqual([{ ...group, path: 'Kundennr' }])
    const nested: Edit = { kind: 'set_field', field: 'uuid', path: 'order.id' }
    expect(withPlaces(after, nested, input)).toEqual([nested])
    const flat: Edit = { kind: 'set_field', field: 'uuid', path: 'row.id' }
    expect(withPlaces(after, flat, input)).toEqual([{ ...flat, path: '"row.id"' }])
  })

  test('a table becomes people and events again by one choice, and a column by its own', () => {
    const input = {
      columns: new Set(['Kundennr.', 'Stadt', 'Umsatz €', 'when']),
      tables: ['kunden', 'kunden-alt'],
      says: (path: string) => path,
    }
    const before =
      'preset: events\nfields:\n  distinct_id: Kundennr\n  timestamp: when\ncolumns:\n  Kundennr.: Kundennr\n  "Umsatz €": { type: number, decimal: "," }\n'
    const people = edited(before, ...withPlaces(before, { kind: 'set_rows', are: 'people' }, input))
    expect(setupOf(people, true)).toMatchObject({ rows: 'people', fields: { event: ['$table'] } })
    expect(columnsOf(people)).toMatchObject({
      'Kundennr.': { path: ['Kundennr'] },
      Stadt: { path: ['$set', 'Stadt'], type: undefined },
      'Umsatz €': { path: ['$set', 'Umsatz €'], type: 'number', decimal: ',' },
    })
    expect(parseMapping(people, '').mapping.events.rename).toEqual(
      Object.fromEntries(input.tables.map((table) => [table, '$set'])),
    )
    expect(withPlaces(people, { kind: 'set_rows', are: 'people' }, input)).toEqual([])

    const again = edited(people, ...withPlaces(people, { kind: 'set_rows', are: 'events' }, input))
    expect(setupOf(again, true)).toMatchObject({ rows: 'events', fields: { event: [] } })
    expect(columnsOf(again)).toEqual(columnsOf(before))

    const owner: Edit = { kind: 'set_owner', column: 'Kundennr.', person: true }
    const one = edited(before, ...withPlaces(before, owner, input))
    expect(columnsOf(one)['Kundennr.']).toMatchObject({ path: ['$set', 'Kundennr'] })
    const named = edited(before, ...withPlaces(before, { kind: 'set_name', to: 'order' }, input))
    expect(Object.values(parseMapping(named, '').mapping.events.rename)).toEqual(['order', 'order'])
  })
})

describe('questions', () => {
  test('each has what it is about, its whole text, and an answer of its field', () => {
    const [first, second] = setupOf(BEFORE, true)!.questions
    expect(first).toMatchObject({
      about: 'event',
      text: expect.stringMatching(/^by its name .* event's name\?$/),
    })
    expect(first!.answers.map(({ choose }) => choose)).toEqual([null, { what: 'field', field: 'event' }])
    expect(second!.text).toContain('[a, b] takes the first that has a value')
    expect(second!.answers[1]!.choose).toEqual({ what: 'fallback', field: 'distinct_id' })
  })

  test('an answer is written, and its question goes; the others and all comments stay', () => {
    const [first, second] = setupOf(BEFORE, true)!.questions
    const edits: Edit[] = [{ kind: 'set_field', field: 'event', path: 'Art' }]
    const after = edited(settleQuestion(BEFORE, first!.text), ...edits)
    expect(after).toContain('event: Art # 300 names\n  distinct_id:')
    expect(setupOf(after, true)!.questions.map(({ text }) => text)).toEqual([second!.text])
    const last = settleQuestion(after, second!.text)
    expect(setupOf(last, true)!.questions).toEqual([])
    // Nothing is left to be explained.
    expect(last).not.toContain('A line with "?"')
    expect(parseMapping(last, 'm').mapping.fields).toMatchObject({ event: ['Art'], distinct_id: ['Kunde'] })
  })

  test('a text that is no map says nothing', () => {
    expect(setupOf('fields: [', true)).toBeNull()
    expect(setupOf('- a', true)).toBeNull()
    expect(setupOf('', true)).toMatchObject({ questions: [], fields: { event: [] } })
  })
})

test('a day and a time of day take the place of the time', () => {
  const edit: Edit = {
    kind: 'set_day_and_time',
    day: 'Datum',
    time: 'Uhrzeit',
    format: 'DD.MM.YYYY HH:mm',
  }
  const { mapping } = parseMapping(edited(BEFORE, edit), 'm')
  expect(mapping).toMatchObject({
    joinsTime: true,
    fields: { timestamp: ['Datum', 'Uhrzeit'] },
    timeFormats: ['DD.MM.YYYY HH:mm'],
  })
  const back: Edit = { kind: 'add_field', field: 'timestamp', path: 'Datum' }
  expect(parseMapping(edited(BEFORE, edit, back), 'm').mapping).toMatchObject({
    joinsTime: false,
    fields: { timestamp: ['Datum'] },
  })
})
