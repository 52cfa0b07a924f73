import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PosthaulError } from '../../src/errors.ts'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'
import { MAPPING_EXAMPLES, parseMapping } from '../../src/mapping/mapping-file.ts'
import { canonicalPath, pathSegments } from '../../src/mapping/member-path.ts'
import { loadMapping } from '../../src/transform/load-mapping.ts'
import { testFolder } from '../helpers/folder.ts'

const WHOLE = `
$schema: ./mapping.schema.json
preset: amplitude
columns:
  _insert_id: $insert_id
  event_properties: { to: event_properties, json: true }
  amplitude_id: { to: ids.amplitude, type: number }
  user_properties: { json: true }
  total: { type: number, decimal: ',', minus: after, currency: € }
  day: { type: time, format: excel }
  tags: { type: list, separator: '|' }
  _fivetran_synced: null
columns_rest: drop
fields:
  distinct_id: [user_properties.email, user_id]
  timestamp: client_event_time
events:
  rename: { "Page View": $pageview }
  drop: [session_start, "404"]
  keep: [signup]
properties:
  rename: { plan.name: plan }
  drop: [password]
  set: { source: warehouse, ids: [12345678901234567890, 1.5, null], nested: { ok: true } }
filter:
  from: 2024-01-01
  to: 2024-02-01T12:00:00.5+01:00
groups:
  company: event_properties.company_id
group_types: { 0: company, 1: project }
source_timezone: Europe/Vienna
time_format: [DD.MM.YYYY HH:mm, epoch_ns]
person_properties: set_once
big_integers: string
deep: text
`

test('reads everything a mapping file can say', () => {
  expect(parseMapping(WHOLE, 'mapping.yaml')).toEqual({
    preset: 'amplitude',
    tests: [],
    columns: {
      columns: {
        _insert_id: { path: ['$insert_id'], json: false, type: undefined },
        event_properties: { path: ['event_properties'], json: true, type: undefined },
        amplitude_id: { path: ['ids', 'amplitude'], json: false, type: 'number' },
        user_properties: { path: ['user_properties'], json: true, type: undefined },
        total: { path: ['total'], json: false, type: 'number', decimal: ',', minus: 'after', currency: '€' },
        day: { path: ['day'], json: false, type: 'time', formats: ['excel'] },
        tags: { path: ['tags'], json: false, type: 'list', separator: '|' },
        _fivetran_synced: null,
      },
      rest: 'drop',
      timeFormats: ['DD.MM.YYYY HH:mm', 'epoch_ns'],
    },
    mapping: {
      fields: { distinct_id: ['user_properties.email', 'user_id'], timestamp: ['client_event_time'] },
      joinsTime: false,
      events: { rename: { 'Page View': '$pageview' }, drop: ['session_start', '404'], keep: ['signup'] },
      properties: {
        rename: { 'plan.name': 'plan' },
        drop: ['password'],
        set: { source: '"warehouse"', ids: '[12345678901234567890,1.5,null]', nested: '{"ok":true}' },
      },
      hash: [],
      filter: {
        from: Date.UTC(2024, 0, 1) * 1000,
        to: Date.UTC(2024, 1, 1, 11, 0, 0, 500) * 1000,
        where: {},
      },
      groups: { company: 'event_properties.company_id' },
      groupTypes: { 0: 'company', 1: 'project' },
      sourceTimezone: 'Europe/Vienna',
      timeFormats: ['DD.MM.YYYY HH:mm', 'epoch_ns'],
      personProperties: 'set_once',
      bigIntegersAsStrings: true,
      deepAsText: true,
    },
  })
})

test.each(['', '# nothing yet\n', '{}', '\uFEFF{}'])('a file that says %j changes nothing', (text) => {
  expect(parseMapping(text, 'm').mapping).toEqual(NO_MAPPING)
  expect(parseMapping(text, 'm').columns).toEqual({ columns: {}, rest: 'keep' })
})

test('JSON, with tabs, is read like YAML', () => {
  const text = '{\n\t"events": {\n\t\t"rename": {"a": "b"},\n\t\t"keep": ["c"]\n\t}\n}\n'
  expect(parseMapping(text, 'm.json').mapping.events).toEqual({ rename: { a: 'b' }, drop: [], keep: ['c'] })
})

test.each<[file: string, message: string, hint?: string]>([
  ['preset: mixpanel\nevnets: {}\n', 'm:2:1: unknown key "evnets"', 'did you mean "events"?'],
  ['events:\n  remane: {}\n', 'm:2:3: unknown key "remane"', 'did you mean "rename"?'],
  ['columns:\n  a:\n    { to: b, jsn: true }', 'm:3:14: unknown key "jsn"', 'did you mean "json"?'],
  [
    'fields: { colour: x }',
    'm:1:11: unknown key "colour"',
    'known here: event, distinct_id, timestamp, time, uuid, anonymous_id, session_id, session_start',
  ],
  [
    'time_format: DD.MM',
    'm:1:14: time_format: a time format has a year, a month and a day, such as DD.MM.YYYY HH:mm, or is epoch_ms',
  ],
  [
    'fields: { time: at }',
    'm:1:17: fields.time: expected a list of two paths: of the day, and of the time of day',
  ],
  [
    'fields: { time: [day, clock], timestamp: at }',
    'm:1:9: fields: the time of an event is timestamp or, in two members, time: not both',
  ],
  [
    'columns: { a: { type: number, currency: € } }',
    'm:1:15: columns.a: minus and currency go with decimal, the sign before the fraction',
  ],
  [
    "columns: { a: { type: number, decimal: '.', currency: PNR } }",
    'm:1:55: columns.a.currency: expected a code of ISO 4217, such as EUR, or a sign, such as €',
  ],
  ['columns: { a: { type: number, format: excel } }', 'm:1:15: columns.a: format is for type: time'],
  ['columns: { a: { type: time, separator: "|" } }', 'm:1:15: columns.a: separator is for type: list'],
  ['zzz: 1\nevents: 3', 'm:1:1: unknown key "zzz"'],
  [
    'filter: 3\nzzz: 1',
    'm:1:9: filter: expected names with values, found a number',
    'such as: filter: { from: 2024-03-01 }',
  ],
  [
    'events:\n  drop:\n    - a\n    - 404',
    'm:4:7: events.drop.1: expected text, found a number',
    'put the value in quotes',
  ],
  [
    'columns: { a: 3 }',
    'm:1:15: columns.a: expected text or nothing or names with values, found a number',
    'put the value in quotes',
  ],
  ['columns: { a: b..c }', 'm:1:15: columns.a: expected a dotted path, such as properties.plan'],
  ['columns:\n  a: { json: true, type: number }', 'm:2:6: columns.a: a column has json or a type, not both'],
  ['fields: { event: [] }', 'm:1:18: fields.event: expected at least one path'],
  ['events: { rename: { "": x } }', 'm:1:21: events.rename.: expected a name, found an empty string'],
  [
    'source_timezone: Europe/Wien',
    'm:1:18: source_timezone: no such time zone; expected a name such as Europe/Vienna',
  ],
  [
    'source_timezone: "+01:00"',
    'm:1:18: source_timezone: no such time zone; expected a name such as Europe/Vienna',
  ],
  [
    'filter: { where: { share: 1.50 } }',
    'm:1:27: filter.where.share: expected text, a whole number, true or false, or a list of these; put others in quotes',
  ],
  [
    'filter: { from: yesterday }',
    'm:1:17: filter.from: expected a day or a time, such as 2024-03-01 or 2024-03-01T12:00:00Z',
  ],
  ['filter: { from: 2024-02-30 }', 'm:1:17: filter.from: not a time: "2024-02-30T00:00"'],
  [
    'filter:\n  from: 2024-02-01\n  to: 2024-02-01',
    'm:3:7: filter.to: is not after from, so no event is left',
  ],
  ['groups: { a: a, b: b, c: c, d: d, e: e, f: f }', 'm:1:9: groups: the service has at most 5 group types'],
  ['group_types: { company: 0 }', 'm:1:16: group_types.company: expected the index of a group type, 0 to 4'],
  [
    'properties: { set: { a: 1e400 } }',
    'm:1:25: properties.set.a: expected a value that JSON has, without half a surrogate pair',
  ],
  [
    'properties: { set: { a: ["\\ud800"] } }',
    'm:1:25: properties.set.a: expected a value that JSON has, without half a surrogate pair',
  ],
  ['events: { rename: { __proto__: x } }', 'm:1:21: __proto__ cannot be a key here'],
  ['a: 1\na: 2', 'm:2:1: "a" is there twice', 'put what both say under one of them'],
  ['just text', 'm:1:1: the file: expected names with values, found text', 'such as: preset: mixpanel'],
  ['- a\n- b', 'm:1:1: the file: expected names with values, found a list', 'such as: preset: mixpanel'],
  [
    'fields:\n  event:',
    'm:2:9: fields.event: expected text or a list, found nothing',
    'such as: fields: { event: action, timestamp: created_at }',
  ],
  [
    'properties:\n  hash: true',
    'm:2:9: properties.hash: expected a list, found true or false',
    'such as: properties: { hash: [email] }',
  ],
  [
    'person_properties: setonce',
    'm:1:20: person_properties: expected set, set_once or drop',
    'did you mean "set_once"?',
  ],
  [
    'properties: { set: { a: null } }',
    'm:1:20: properties.set: null and "" would set nothing; properties: { drop: [name] } leaves a property out',
  ],
  [
    'properties: { set: { a: "" } }',
    'm:1:20: properties.set: null and "" would set nothing; properties: { drop: [name] } leaves a property out',
  ],
  [
    'properties: { drop: [$set] }',
    'm:1:21: properties.drop: $set and $set_once are what an event does to its person; person_properties: drop leaves them out',
  ],
  ['columns_escape: true', 'm:1:17: columns_escape: expected backslash or quotes'],
  ['columns: { a: { json: yes } }', 'm:1:23: columns.a.json: expected true or false, found text'],
  ['events:\n\tdrop: [a]', "m:2:1: this can't be read as YAML: Tabs are not allowed as indentation"],
  ['preset: "mixpanel', 'm:1:18: this can\'t be read as YAML: Missing closing "quote'],
  ['preset: *a', "m can't be read as a mapping file: a text may not begin with *; put it in quotes"],
])('%j is refused: %s', (text, message, hint) => {
  let refused: unknown
  try {
    parseMapping(text, 'm')
  } catch (error) {
    refused = error
  }
  expect(refused).toBeInstanceOf(PosthaulError)
  expect(refused).toMatchObject({ code: 'config', message, ...(hint !== undefined && { hint }) })
})

test.each(Object.entries(MAPPING_EXAMPLES))('the example of %j is right: %s', (path, example) => {
  expect(() => parseMapping(example, 'm')).not.toThrow()
  expect(example.startsWith(path.split('.')[0]!)).toBe(true)
})

test.each(['events: [', 'events: "', 'a: b: c', '\tevents: {}', '!odd x: 1', 'a: 1\n---\nb: 2'])(
  'what is no YAML is refused with its place: %j',
  (text) => {
    expect(() => parseMapping(text, 'm.yaml')).toThrow(/^m\.yaml:\d+:\d+: /)
  },
)

test('half a surrogate pair is told from a whole one', () => {
  expect(
    parseMapping('properties: { set: { a: "\\ud83d\\ude00 \\\\ud800" } }', 'm').mapping.properties.set,
  ).toEqual({ a: JSON.stringify('😀 \\ud800') })
})

test('loads a file with its hash', async () => {
  const path = join(testFolder(), 'mapping.yaml')
  await writeFile(path, WHOLE)
  const loaded = await loadMapping(path)
  expect(loaded.preset).toBe('amplitude')
  expect(loaded.sha256).toBe(createHash('sha256').update(WHOLE).digest('hex'))
})

test('a mapping file that is not there is a matter of configuration', async () => {
  await expect(loadMapping('/nowhere/mapping.yaml')).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining('/nowhere/mapping.yaml'),
    hint: expect.any(String),
  })
})

test.each(['latin1', 'utf16le'] as const)(
  'a mapping file in %s is refused: its names would match nothing',
  async (encoding) => {
    const path = join(testFolder(), 'mapping.yaml')
    await writeFile(
      path,
      '\uFEFFproperties: { drop: [Straße] }'.slice(encoding === 'latin1' ? 1 : 0),
      encoding,
    )
    await expect(loadMapping(path)).rejects.toMatchObject({ code: 'config', hint: 'save it as UTF-8' })
  },
)

test('a column with a dot at its end is told how it can be named', () => {
  expect(() => parseMapping('fields: { distinct_id: Kundennr. }', 'm')).toThrow(`'"Kundennr."'`)
  const { fields } = parseMapping(`fields: { distinct_id: '"Kundennr."' }`, 'm').mapping
  expect(fields.distinct_id).toEqual(['"Kundennr."'])
})

test.each([
  ['a.b', ['a', 'b'], 'a.b'],
  ['"a.b"', ['a.b'], '"a.b"'],
  ['properties."user.id"', ['properties', 'user.id'], 'properties."user.id"'],
  ['"a.b".c."d."', ['a.b', 'c', 'd.'], '"a.b".c."d."'],
  ['"plain"', ['plain'], 'plain'],
  [String.raw`"5\" . \\"`, [String.raw`5" . \ `.trimEnd()], String.raw`"5\" . \\"`],
  // No whole name is in these quotes: they mean what they did.
  ['5".b', ['5"', 'b'], '5".b'],
])('the path %s', (path, names, canonical) => {
  expect(pathSegments(path)).toEqual(names)
  expect(canonicalPath(path)).toBe(canonical)
  expect(pathSegments(canonical)).toEqual(names)
  const { columns } = parseMapping(JSON.stringify({ columns: { cell: path } }), 'm').columns
  expect(columns).toMatchObject({ cell: { path: names } })
})
