import { describe, expect, test } from 'vitest'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { columnsIn, keysIn, withPlaces } from '../../src/studio/setup/said-columns.ts'
import { firstOf } from './first-of.ts'

/** A table with a person, a name and a time, and these columns. */
function table(header: string, ...rows: readonly string[]): string {
  const lines = rows.map(
    (row, i) => `buy,u${i % 3},2024-03-01T12:00:0${i % 10}Z${row === '' ? '' : `,${row}`}`,
  )
  return [`event,user_id,time${header === '' ? '' : `,${header}`}`, ...lines].join('\n')
}

describe('hostile tables become a mapping file that works', () => {
  test.each([
    ['empty and doubled names', table(',a,a,b', '0,1,2,3', '1,1,2,3'), { '': null, a: null }],
    ['a dotted name', table('user.plan', 'pro', 'free'), {}],
    [
      'names with quotes and line ends',
      table('"say ""hi""","two\nlines: #x"', '1,2', '3,4'),
      { 'say "hi"': { type: 'number' }, 'two\nlines: #x': { type: 'number' } },
    ],
    [
      'names that YAML would take for something else',
      table('on,null,"- x",&a', '1,2,3,4'),
      {
        on: { type: 'number' },
        null: { type: 'number' },
        '- x': { type: 'number' },
        '&a': { type: 'number' },
      },
    ],
    ['a byte order mark', `\uFEFF${table('n', '1')}`, { n: { type: 'number' } }],
    ['rows that end in CR LF', table('n', '1', '2').replaceAll('\n', '\r\n'), { n: { type: 'number' } }],
    [
      'names that hide text',
      table('a\u202eb\u2028c\u0007', '1'),
      { 'a\u202eb\u2028c\u0007': { type: 'number' } },
    ],
  ])('%s', async (_, text, columns) => {
    const { yaml, missing, trial } = await firstOf(text)
    expect(missing).toEqual([])
    expect(trial).toMatchObject({ rejected: 0, filtered: 0 })
    expect(trial!.events).toBeGreaterThan(0)
    expect(parseMapping(yaml, 'm').columns.columns).toMatchObject(columns)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are meant
    expect(yaml).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e\u2028]/)
  })

  test('values that look like YAML, and line ends, stay in their comment', async () => {
    const values = ['"a\npreset: mixpanel\n"', '"# ? {{"', '": - &x *y !!z"', '"\u2028events: drop"']
    const { yaml, trial } = await firstOf(table('note', ...values))
    expect(trial).toMatchObject({ events: 4, rejected: 0 })
    expect(parseMapping(yaml, 'm').preset).toBe('events')
    const lines = yaml.split('\n').filter((line) => !/^\s*(?:#.*)?$/.test(line))
    expect(lines.join('\n')).not.toMatch(/mixpanel|events: drop/)
  })

  test('columns named by a dot are people, names and times too', async () => {
    const text = 'user.id,event.name,time\nu1,buy,2024-03-01T12:00:00Z\nu2,buy,2024-03-01T12:00:00Z\n'
    const { yaml, trial } = await firstOf(text)
    expect(trial).toMatchObject({ events: 2, rejected: 0 })
    expect(parseMapping(yaml, 'm').mapping.fields).toEqual({
      event: ['event_name'],
      distinct_id: ['user_id'],
      timestamp: ['time'],
    })
  })

  test('thousands of columns', async () => {
    const names = Array.from({ length: 1500 }, (_, i) => `c${i}`)
    const { yaml, trial } = await firstOf(table(names.join(','), names.map(() => '1').join(',')))
    expect(trial).toMatchObject({ events: 1, rejected: 0 })
    expect(yaml.split('\n').filter((line) => line.includes('type: number'))).toHaveLength(1500)
  })

  test('files of one table that differ in their columns', async () => {
    const { yaml, trial, lines } = await firstOf({ '1.csv': table('n', '1'), '2.csv': table('', '') })
    expect(trial).toMatchObject({ events: 2, rejected: 0 })
    expect(parseMapping(yaml, 'm').columns.columns).toEqual({})
    expect(lines).toContainEqual(expect.stringContaining('n: some files lack this column'))
  })
})

describe('what nothing tells', () => {
  test('is FILL_IN, and said', async () => {
    const { yaml, missing, trial } = await firstOf({ 'data.csv': 'plan,n\npro,1\nfree,2\n' })
    expect(missing).toEqual(['event', 'distinct_id', 'timestamp'])
    expect(trial).toBeUndefined()
    expect(() => parseMapping(yaml, 'm')).toThrow('fields.event: is still FILL_IN')
  })

  test('of a header without rows is all', async () => {
    const { missing } = await firstOf('event,user_id,time\n')
    expect(missing).toContain('timestamp')
  })

  test('of the name is the file, if it is called for what it holds', async () => {
    const text = 'customer_id,created_at\nc1,2024-03-01T12:00:00Z\nc2,2024-03-01T12:00:00Z\n'
    const { yaml, missing, trial } = await firstOf({ 'orders.csv': text })
    expect(missing).toEqual([])
    expect(trial).toMatchObject({ events: 2 })
    expect(yaml).toContain('event: $table')
    expect((await firstOf({ 'data.csv': text })).missing).toEqual(['event'])
  })
})

test('a time named with its unit is the time of the event', async () => {
  const lines = [1, 2].map((i) => `{"event":"tap","time_us":170929440${i}123456,"uid":"u${i}"}`)
  const { missing, findings, trial } = await firstOf(lines.join('\n'))
  expect(missing).toEqual([])
  expect(findings).toContainEqual(expect.objectContaining({ name: 'time_us', role: 'timestamp' }))
  expect(trial).toMatchObject({ events: 2 })
})

describe('a table of people', () => {
  const text =
    'Record ID,Email,type,Create Date\n1,a@x.com,Lead,2024-03-01 10:00\n2,b@x.com,New,2024-03-02 10:00\n'

  test('has no column of names by its type', async () => {
    const { yaml, findings } = await firstOf({ 'leads.csv': text })
    expect(yaml).toContain('type: $set.type')
    // PostHog knows a person's e-mail and their first day as properties only.
    expect(yaml).toMatch(
      /distinct_id: \$set\.Email .*timestamp: "\$set\.Create Date" .*Email: \$set\.Email /s,
    )
    expect(findings.map(({ role }) => role)).toEqual([null, 'distinct_id', null, 'timestamp'])
  })

  test('is one of events where a column is called so, or its name has a further word', async () => {
    expect((await firstOf({ 'users.csv': table('', '') })).missing).toEqual([])
    expect((await firstOf({ 'user_signups.csv': text.replace('type', 'kind2') })).missing).toEqual([])
  })
})

test.each([
  [
    'ids that differ in case',
    'a,Ana@x.com,1\nb,ana@x.com,2\nc,ANA@X.COM,3\nc,bo@x.com,4',
    /3 ids differ only in the case.*"Ana@x.com", "ana@x.com", …/,
  ],
  [
    'ids of Mongo in brackets',
    'a,ObjectId(65e1a0f0c0ffee00000000aa),1',
    /your app sends the text in the brackets/,
  ],
  ['padded names', '"a   ",u1,1\n"buy ",u2,2', /event: 2 of 2 names have blanks at an end/],
  ['padded values', 'a,u1,"AT  "\nb,u2,"USA "', /plan: all values are filled up with blanks to 4 characters/],
])('%s are asked about', async (_, rows, asked) => {
  const timed = rows.split('\n').map((row, n) => `${row},${1_709_287_200 + n}`)
  const { lines } = await firstOf(['event,user_id,plan,ts', ...timed].join('\n'))
  expect(lines.join('\n')).toMatch(asked)
})

test.each(['0', 'Anonymous', 'null'])(
  'an id %s is nobody: the person is in another place, or that is asked',
  async (word) => {
    const rows = Array.from({ length: 40 }, (_, i) => {
      return `view,${1_709_287_200 + i},${i % 3 ? `u${i % 4}` : word},d${i % 6}`
    })
    const { yaml, asked } = await firstOf(['event,ts,user_id,device_id', ...rows].join('\n'))
    expect(yaml).toContain('distinct_id: [user_id, device_id]')
    expect(asked).toContain('14 of 40 records have no user_id, but device_id')
    const alone = await firstOf(['event,ts,user_id,n', ...rows].join('\n').replaceAll(/,d\d$/gm, ',1'))
    expect(alone.yaml).toContain('distinct_id: user_id ')
    expect(alone.asked).toMatch(
      word === 'null' ? /no person there/ : /14 of 40 records have an id that stands for nobody/,
    )
  },
)

describe('questions have their evidence', () => {
  test('of times in the future, people who are not there, groups', async () => {
    const rows = Array.from({ length: 60 }, (_, i) => {
      return `buy,${i % 6 ? `u${i}` : ''},${i % 20 ? 1709294400 + i : 2909294400},org${i % 3}`
    })
    const { lines, trial } = await firstOf(['event,user_id,ts,company_id', ...rows].join('\n'))
    expect(lines).toEqual([
      expect.stringMatching(/12 of 60 records .* transform stops above 10%.* raise --max-reject-ratio/),
      expect.stringContaining('distinct_id: 10 of 60 records have no person there'),
      expect.stringContaining('timestamp: 3 of 60 times have an unknown form, or are not in the past'),
      expect.stringContaining('company: 3 values in 60 records'),
    ])
    expect(trial).toMatchObject({ read: 60, events: 48, rejected: 12 })
  })

  test.each([
    [
      'date,time',
      '2024-03-01 00:00,10:00:00',
      'timestamp: all 12 times are midnight: is the time of day in time? "time: [date, time]"',
    ],
    ['date,open,close', '2024-03-01,10:00,18:00', 'are midnight: is the time of day in open?'],
    ['date,n', '2024-03-01T00:00:00.0+02:00,1', 'are midnight: is the time of day in another'],
    ['date,n', '3/1/2024 12:00 AM,1', 'timestamp: all 12 times are midnight'],
  ])('of events without a time of day: %s', async (header, cells, question) => {
    const rows = Array.from({ length: 12 }, (_, i) => `buy,u${i % 3},${cells}`)
    const { lines } = await firstOf([`event,user_id,${header}`, ...rows].join('\n'))
    expect(lines).toContainEqual(expect.stringContaining(question))
  })

  test.each([
    ['Datum,Uhrzeit', '24.12.2024,18:05', 'DD.MM.YYYY HH:mm'],
    ['Date,Time', '12/24/2024,6:05 PM', 'MM/DD/YYYY hh:mm A'],
    ['date,time', '2024-12-24,18:05:09', undefined],
    ['date,time,opens_at', '2024-12-24,18:05,09:00', undefined],
  ])('of a day and a time of day in two columns: %s %s', async (header, cells, format) => {
    const [day, clock] = header.split(',')
    const rows = Array.from({ length: 12 }, (_, i) => `buy,u${i % 3},${cells}`)
    const { yaml, questions, trial } = await firstOf([`event,user_id,${header}`, ...rows].join('\n'))
    expect(parseMapping(yaml, 'm').mapping).toMatchObject({
      fields: { timestamp: [day, clock] },
      joinsTime: true,
      timeFormats: format === undefined ? [] : [format],
    })
    expect(yaml).toContain(`time: [${day}, ${clock}]`)
    expect(trial).toMatchObject({ events: 12, rejected: 0 })
    expect(JSON.stringify(questions)).not.toMatch(/midnight/)
  })

  test('of numbers under the name of a time: days as Excel counts them, or numbers', async () => {
    const { yaml, lines, trial } = await firstOf(
      'event,user_id,Date,Order date,price\nbuy,u1,45650.75,45650,45650\nbuy,u2,45651.5,45651,45651\n',
    )
    expect(parseMapping(yaml, 'm')).toMatchObject({
      mapping: { fields: { timestamp: ['Date'] }, timeFormats: ['excel'] },
      columns: { columns: { price: { type: 'number' } } },
    })
    expect(trial).toMatchObject({ events: 2, rejected: 0 })
    expect(lines).toEqual([
      'timestamp: 45650.75 is 2024-12-24 18:00:00 as Excel counts days (format: excel; excel-1904 counts from 1904), or only a number',
      'source_timezone: 2 of 2 times of Date carry no zone: UTC?',
      'Order date: 45650 is 2024-12-24 00:00:00 as Excel counts days (format: excel; excel-1904 counts from 1904), or only a number',
    ])
  })

  test('of columns of times that UTC does not give back, or of an unknown order, which stay text', async () => {
    const column = async (...cells: string[]) => {
      const { yaml, lines } = await firstOf(table('paid_at', ...cells.map((cell) => `"${cell}"`)))
      const { columns } = parseMapping(yaml, 'm').columns
      return columns.paid_at ?? lines
    }
    const asked = (text: string) => [expect.stringContaining(`paid_at: ${text}`)]
    expect(await column('01/02/2024', '03/04/2024')).toEqual(
      asked('all 2 could be of either order: they stay'),
    )
    expect(await column('2024-03-01T12:00:00+01:00', '2024-07-01T12:00:00+02:00')).toEqual(
      asked('times with several offsets'),
    )
    expect(await column('2024-03-01T12:00:00.123456789Z')).toEqual(asked('times with digits below the micro'))
    expect(await column('1709294400', '1709294400123')).toEqual(asked('times in several forms'))
    expect(await column('2024-03-01 12:00', '2024-03-01T12:00:00')).toEqual(asked('times in several forms'))
    expect(await column('2024-03-01T12:00:00Z', '2024-03-02T12:00:00Z')).toMatchObject({ type: 'time' })
    expect(await column('24.12.2024 18:05', '25.12.2024 09:05')).toMatchObject({
      type: 'time',
      formats: ['DD.MM.YYYY HH:mm'],
    })
    expect(await column('4.12.2024', '25.12.2024', '04.12.2024')).toEqual(asked('times in several forms'))
  })

  test('of a share of rejected records, only where transform stops for it', async () => {
    const rows = Array.from({ length: 20 }, (_, i) => `buy,${i < 2 ? '' : `u${i}`},2024-03-01T12:00:00Z`)
    const { questions, yaml, trial } = await firstOf(['event,user_id,time', ...rows].join('\n'))
    expect(trial).toMatchObject({ read: 20, rejected: 2 })
    expect(questions.map(({ about }) => about)).toEqual(['distinct_id'])
    const more = ['event,user_id,time', ...rows, 'buy,,2024-03-01T12:00:00Z'].join('\n')
    expect((await firstOf(more)).yaml).toContain('# ? 3 of 21 records')
    expect(yaml).not.toContain('max-reject-ratio')
  })

  test('and none where some events have a time of day', async () => {
    const text = table('', '', '').replace('2024-03-01T12:00:00Z', '2024-03-01T00:00:00Z')
    expect(text).toContain('T00:00:00Z')
    expect((await firstOf(text)).questions).toEqual([])
  })

  test('secrets are shown by their first letters only', async () => {
    const token = 'phx_abcdefghijklmnopqrstuvwxyz0123456789'
    const { yaml, findings } = await firstOf(table('token,password', `${token},hunter2secret`))
    expect(`${yaml}${JSON.stringify(findings)}`).not.toMatch(/phx_a|hunter2/)
  })
})

test('a vendor is named with the reason, and what differs from the usual is said', async () => {
  const record = (i: number) => ({
    event: i % 2 ? 'Bought' : '$identify',
    properties: { time: 1709294400 + i, distinct_id: `p${i}`, $insert_id: `i${i}`, big: 'BIG' },
  })
  const text = Array.from({ length: 20 }, (_, i) =>
    JSON.stringify(record(i)).replace('"BIG"', '9007199254740993'),
  )
  const { yaml, preset, trial, lines } = await firstOf(text.join('\n'))
  expect(preset).toBe('mixpanel')
  expect(yaml).toContain('20 of 20 records have event, properties.time and properties.distinct_id')
  expect(yaml).toContain('preset: mixpanel\n')
  expect(yaml).toContain('big_integers: string')
  expect(lines).toContainEqual(expect.stringMatching(/^big_integers: .*over 2\^53/))
  expect(trial!.rejected).toBe(0)
})

const NAMES = ['Jürgen Weiß', 'François Lévêque', 'Max Muster', 'Bärbel “Bär” Größe – 5 €']
const people = table('Straße', ...NAMES, ...NAMES)
const cp1252 = (text: string) =>
  Buffer.from(
    text.replaceAll('“', '\x93').replaceAll('”', '\x94').replaceAll('–', '\x96').replaceAll('€', '\x80'),
    'latin1',
  )

describe('text that is not UTF-8', () => {
  test.each([
    ['Windows-1252', { 'x.csv': cp1252(people) }, 'windows-1252'],
    ['UTF-16 without a mark', { 'x.csv': Buffer.from(people, 'utf16le') }, 'utf-16le'],
    ['UTF-16 with a mark', { 'x.csv': Buffer.from(`\uFEFF${people}`, 'utf16le') }, undefined],
    ['UTF-8', { 'x.csv': people }, undefined],
    [
      'some files in ASCII',
      { 'a.csv': table('Straße', 'x').replace('ß', 'ss'), 'b.csv': cp1252(people) },
      'windows-1252',
    ],
  ])('%s is told, and every record becomes an event', async (_, files, encoding) => {
    const { yaml, trial, encoding: told, questions } = await firstOf(files as Record<string, string | Buffer>)
    expect(told).toBe(encoding)
    expect(parseMapping(yaml, 'm').encoding).toBe(encoding)
    expect(trial).toMatchObject({ rejected: 0 })
    expect(trial!.events).toBeGreaterThan(1)
    expect(questions.filter(({ text }) => /UTF-8/.test(text))).toEqual([])
  })

  test.each([
    ['Cyrillic', [0xcc, 0xee, 0xf1, 0xea, 0xe2, 0xe0]],
    ['Polish of Windows', [0x47, 0xb3, 0x6f, 0x77, 0x61]],
    ['a Mac', [0x6d, 0x9f, 0x6c, 0x6c, 0x65, 0x72]],
    ['DOS', [0x6d, 0x81, 0x6c, 0x6c, 0x65, 0x72]],
  ])('text of %s is not taken for Windows-1252', async (_, word) => {
    const text = Buffer.from(table('n', ...Array(8).fill(String.fromCharCode(...word))), 'latin1')
    const { encoding, lines } = await firstOf(text)
    expect(encoding).toBeUndefined()
    expect(lines).toContainEqual(expect.stringMatching(/^: .*neither UTF-8 nor/))
  })

  const row = 'buy,u1,2024-03-01T12:00:00Z,Köln\n'

  test('rows of UTF-8 in files of another encoding are asked about, and none of them is bent', async () => {
    const west = cp1252(`${table('n', 'Köln', 'Bär')}\n`)
    for (const files of [
      { 'x.csv': Buffer.concat([west, Buffer.from(row)]) },
      { 'a.csv': west, 'x.csv': table('n', 'Köln') },
    ]) {
      const { encoding, lines, trial } = await firstOf(files)
      expect(encoding).toBe('windows-1252')
      expect(lines).toContainEqual(expect.stringMatching(/^: x\.csv: there is UTF-8 too/))
      expect(trial).toMatchObject({ rejected: 1, reasons: { bad_encoding: 1 } })
    }
  })

  test('rows of another encoding in files of UTF-8 are asked about, and none of them is bent', async () => {
    const west = Buffer.concat([
      Buffer.from(`${table('n', 'Köln', 'Bär', ...Array(20).fill('x'))}\n`),
      cp1252(row),
    ])
    const { encoding, lines, trial } = await firstOf(west)
    expect(encoding).toBeUndefined()
    const words = /^: x\.csv: some rows are not UTF-8. In windows-1252 .* "Köln"/
    expect(lines).toContainEqual(expect.stringMatching(words))
    expect(trial).toMatchObject({ rejected: 1, reasons: { bad_utf8: 1 } })
  })
})

describe('lines that are no JSON', () => {
  const event = (value: string) =>
    `{"event":"buy","distinct_id":"u1","timestamp":"2024-03-01T12:00:00Z","properties":{"total":${value}}}`

  test("Python's NaN is told with its lines, and read as null", async () => {
    const { yaml, trial, lines } = await firstOf([event('1'), event('NaN'), event('[Infinity]')].join('\n'))
    expect(parseMapping(yaml, 'm').json).toBe('python')
    expect(trial).toMatchObject({ events: 3, rejected: 0 })
    expect(lines).toEqual([
      expect.stringMatching(/^json: 2 records of 3 hold NaN .* lines 2, 3 of x\.ndjson\./),
    ])
  })

  test('other lines are named with the reason, and stay rejects', async () => {
    const { yaml, trial, lines } = await firstOf([...Array(20).fill(event('1')), event('True')].join('\n'))
    expect(parseMapping(yaml, 'm').json).toBeUndefined()
    expect(trial).toMatchObject({ rejected: 1 })
    const words = /^: 1 record of 21 can't be read, .*\(bad_json\): line 21 of x\.ndjson, .*not valid JSON/
    expect(lines).toEqual([expect.stringMatching(words)])
  })
})

describe('a table whose first row is a record', () => {
  const rows = ['buy,u1,2024-03-01T12:00:00Z', 'buy,u2,2024-03-01T12:00:01Z', 'sell,u1,2024-03-01T12:00:02Z']

  test('gets names for its columns, and a question', async () => {
    const { yaml, lines, spread } = await firstOf(rows.join('\n'))
    expect(spread.read).toBe(3)
    expect(parseMapping(yaml.replaceAll('FILL_IN', 'x'), 'm').columns.names).toEqual([
      'column_1',
      'column_2',
      'column_3',
    ])
    expect(lines).toContainEqual(expect.stringMatching(/^: .*taken for a record/))
  })

  test('is asked about only where numbers alone speak for it', async () => {
    const { yaml, lines, trial } = await firstOf(table('2023', '1', '2'))
    expect(parseMapping(yaml, 'm').columns.names).toBeUndefined()
    expect(trial).toMatchObject({ events: 2 })
    expect(lines).toContainEqual(expect.stringMatching(/^: .*does it name the columns/))
  })
})

test('words for no value are asked about in a property', async () => {
  const { lines } = await firstOf(table('plan', 'pro', 'NULL', 'None', '\\N'))
  expect(lines).toContainEqual(expect.stringContaining('plan: 2 of 3 cells are "NULL"'))
})

describe('lists that hold the events', () => {
  const ndjson = (count: number, record: (at: number) => object) =>
    Array.from({ length: count }, (_, at) => JSON.stringify(record(at))).join('\n')
  const actions = (at: number) =>
    Array.from({ length: at % 4 }, (_, i) => ({
      'event.name': `open ${i}`,
      at: `2024-03-0${1 + (at % 9)}T10:00:0${i}Z`,
    }))

  test('records that are no events are cut by the list whose elements are, and it is asked', async () => {
    const visits = ndjson(20, (at) => ({
      visit: at,
      'user.id': `u${at % 5}`,
      tags: [{ a: 1 }],
      actions: actions(at),
    }))
    const { yaml, questions, trial, list, missing } = await firstOf(visits)
    const { explode, fields } = parseMapping(yaml, 'm').mapping
    expect({ explode, list, missing }).toEqual({ explode: 'actions', list: 'actions', missing: [] })
    expect(fields).toEqual({
      event: ['actions."event.name"'],
      distinct_id: ['"user.id"'],
      timestamp: ['actions.at'],
    })
    expect(trial).toMatchObject({ read: 35, events: 30, rejected: 0, filtered: 5 })
    expect(questions[0]).toMatchObject({
      about: 'explode',
      text: expect.stringContaining('15 of 20 records'),
    })
    expect(yaml).toContain('event: \'actions."event.name"\'')
  })

  test.each([
    [
      'an event with a list',
      'x.ndjson',
      (at: number) => ({ event: 'a', user: `u${at}`, time: '2024-03-01T10:00:00Z', actions: actions(at) }),
    ],
    [
      'a record with a time of its own',
      'sales.ndjson',
      (at: number) => ({
        user: `u${at}`,
        time: '2024-03-01T10:00:00Z',
        actions: actions(at).map((one) => ({ at: one.at })),
      }),
    ],
  ])('%s stays whole, and it is asked', async (_, name, record) => {
    const { yaml, questions, list } = await firstOf({ [name]: ndjson(20, record) })
    expect(parseMapping(yaml, 'm').mapping).not.toHaveProperty('explode')
    expect(list).toBeUndefined()
    expect(questions[0]!.text).toMatch(
      /whose 30 elements have actions.at.*: are these the events\? "explode: actions"/,
    )
  })

  test('a list of things without a time or a name of their own is not asked about', async () => {
    const record = (at: number) => ({ event: 'a', user_id: `u${at % 3}`, time: '2024-03-01T10:00:00Z' })
    const { questions } = await firstOf(
      ndjson(20, (at) => ({ ...record(at), items: [{ sku: `s${at}`, n: 1 }] })),
    )
    expect(questions).toEqual([])
  })

  test('the columns of a table are not made others: it is asked', async () => {
    const cell = (at: number) => `"${JSON.stringify(actions(at)).replaceAll('"', '""')}"`
    const text = `user_id,when,actions\n${Array.from({ length: 20 }, (_, at) => `u${at % 3},2024-03-01T10:00:00Z,${cell(at)}`).join('\n')}`
    const { yaml, asked } = await firstOf(text)
    expect(yaml).not.toMatch(/^explode/m)
    expect(asked).toContain('"explode: actions" makes an event of each')
  })
})

test("a vendor's records in capitals are named, and asked about", async () => {
  const line = (at: number) =>
    `{"EVENT":"buy","PROPERTIES":{"TIME":${1709294400 + at},"DISTINCT_ID":"u1","$INSERT_ID":"i${at}"}}`
  const { preset, questions } = await firstOf([1, 2, 3].map(line).join('\n'))
  expect(preset).toBe('events')
  expect(questions[0]!.text).toMatch(
    /records of Mixpanel whose names are in another case.*columns: \{ EVENT: event/,
  )
})

/** The studio places a column so, too: setup/said-columns.ts. */
test.each([
  ['Kundennr.,Aktion,Zeit', 'Kundennr'],
  ['Kundennr.,Kundennr,Aktion,Zeit', 'Kundennr_'],
])('a column whose name ends in a dot goes where no other column is: %s', async (header, place) => {
  const cells = header.split(',').length === 3 ? ['007'] : ['007', '1']
  const rows = ['buy', 'see'].map((name, i) => [...cells, name, `2024-03-01T12:00:0${i}Z`].join(','))
  const { yaml } = await firstOf([header, ...rows].join('\n'))
  const { columns } = columnsIn(keysIn(yaml)!)
  expect(columns['Kundennr.']?.path).toEqual([place])
  const input = { columns: new Set(header.split(',')), tables: [], says: (path: string) => path }
  const edit = { kind: 'set_field', field: 'distinct_id', path: 'Kundennr.' } as const
  expect(withPlaces('preset: events\n', edit, input).at(-1)).toEqual({ ...edit, path: place })
})
