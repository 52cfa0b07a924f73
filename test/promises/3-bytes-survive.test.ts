import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { elements, members } from '../../src/record/json-values.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { objectText } from '../helpers/json-text.ts'
import { listening } from '../helpers/listening.ts'
import { seedOf } from '../helpers/random.ts'

const seed = seedOf('bytes')

/** JSON that a round trip through a program's own numbers and strings would change. */
const VALUES = [
  ...'12345678901234567890 -9223372036854775808 1.0 1.10 1E+5 1e5 -0 -0.0 0.10e-7 1e-400'.split(' '),
  ...[
    ...['"\\u00e9"', '"\\u00E9"', '"é"', '"\\/"', '"/"', '"\\u2028"', '"\u2028"', '"\\ud83d\\ude00"'],
    ...['"😀"', '"\\u0000"'],
  ],
  ...[
    '"a\\"b\\\\c\\n"',
    '" padded "',
    '"12345678901234567890"',
    'true',
    'false',
    '[]',
    '{}',
    '[1.0 , 1E+5,\t-0]',
  ],
  ...[
    '{"b" : 1.0,"a":{"a":1,"a":2},"\\u0061":[{"":"\\u0041"}]}',
    '[[[[12345678901234567890]]]]',
    '0.1000000000000000055511151231257827',
  ],
]
const NOTHING = ['null', '""']

/** Property texts: every odd value, and a few hundred random objects. */
function bags(values: readonly string[]): string[] {
  const odd = `{${values.map((value, i) => `"v${i}":${value}`).join(',')}}`
  const one = fc.sample(objectText({ sendable: true }), { seed, numRuns: 300 })
  // A line end between values is a blank like others, but not in a file of lines. Some sources mean nothing by empty values.
  const chance = one.map((text) => `{"bag":[${text.replace(/[\r\n]/g, ' ')}]}`)
  return [odd, ...chance]
}

/** The values of an event line, or of an event in a request, as they are written there. */
function valuesIn(event: string): Map<string, string> {
  return new Map(members(new Map(members(event)).get('properties')!))
}

function expectValues(events: readonly string[], sent: readonly string[]): void {
  const found = new Map(events.map((event) => [valuesIn(event).get('n'), valuesIn(event)]))
  for (const [n, text] of sent.entries()) {
    for (const [name, value] of members(text))
      expect(found.get(String(n))?.get(name), `${name} of ${n}`).toBe(value)
  }
  expect(found.size).toBe(sent.length)
}

/** A service that accepts everything, and keeps the bytes of the events as they arrived. */
async function sink(): Promise<{ url: string; events: string[] }> {
  const events: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    // Whether the key is known is asked first, and holds no events.
    if (request.url !== '/batch/') return void response.end('{}')
    const body = gunzipSync(Buffer.concat(chunks)).toString('utf8')
    events.push(...elements(new Map(members(body)).get('batch')!))
    response.end('{"status":"Ok"}')
  })
  return { url: await listening(server), events }
}

const eventLine = (text: string, n: number) =>
  `{"event":"E","distinct_id":"u","timestamp":"2024-03-01T12:34:56.789123Z","properties":{"n":${n},${text.slice(1)}}`

async function importAll(argv: readonly string[]): Promise<string[]> {
  const { url, events } = await sink()
  const fast = ['--approved', '--max-events-per-minute', '10000000', '--batch-events', '40']
  const env = { POSTHOG_PROJECT_API_KEY: 'phc_test', POSTHOG_INGEST_HOST: url }
  await exits(0, runHosted(['import', ...argv, ...fast], env))
  return events
}

test('promise 3: values come through transform and import to the wire byte for byte', async () => {
  const folder = testFolder()
  const sent = bags([...VALUES, ...NOTHING])
  const [path, out] = [join(folder, 'in.ndjson'), join(folder, 'out')]
  writeFileSync(path, `${sent.map(eventLine).join('\n')}\n`)
  await exits(0, runHosted(['transform', '--preset', 'posthog', '--in', path, '--out', out]))
  const lines = readFileSync(join(out, '2024-03-01.ndjson'), 'utf8').trimEnd().split('\n')
  expectValues(lines, sent)
  expectValues(await importAll(['--dataset', out]), sent)
})

test('promise 3: values of a file of events come to the wire byte for byte', async () => {
  const sent = bags([...VALUES, ...NOTHING])
  const path = join(testFolder(), 'events.ndjson')
  writeFileSync(path, `${sent.map(eventLine).join('\n')}\n`)
  expectValues(await importAll(['--file', path]), sent)
})

test.each([
  [
    'mixpanel',
    (text: string, n: number) =>
      `{"event":"E","properties":{"time":1709296496,"distinct_id":"u","$insert_id":"i${n}","n":${n},${text.slice(1)}}`,
  ],
  [
    'mixpanel',
    (text: string, n: number) =>
      `{"event":"E","properties":${JSON.stringify(`{"time":1709296496,"distinct_id":"u","n":${n},${text.slice(1)}`)}}`,
  ],
  [
    'amplitude',
    (text: string, n: number) =>
      `{"event_type":"E","event_time":"2024-03-01 12:34:56.789123","user_id":"u","event_properties":{"n":${n},${text.slice(1)}}`,
  ],
  [
    'segment',
    (text: string, n: number) =>
      `{"type":"track","event":"E","timestamp":"2024-03-01T12:34:56.789Z","userId":"u","properties":{"n":${n},${text.slice(1)}}`,
  ],
])('promise 3: values of %s come through byte for byte', async (preset, record) => {
  const folder = testFolder()
  const sent = bags(VALUES)
  const [path, out] = [join(folder, 'in.ndjson'), join(folder, 'out')]
  writeFileSync(path, `${sent.map(record).join('\n')}\n`)
  await exits(0, runHosted(['transform', '--preset', preset, '--in', path, '--out', out]))
  const parts = readdirSync(out).filter((name) => name.startsWith('2024-'))
  expectValues(
    parts.flatMap((part) => readFileSync(join(out, part), 'utf8').trimEnd().split('\n')),
    sent,
  )
})

test('promise 3: what the service would refuse is changed, that alone, and counted', async () => {
  const folder = testFolder()
  const [path, out] = [join(folder, 'in.ndjson'), join(folder, 'out')]
  const text =
    '{"a":"\\n\\u00e9\\/x\\ud800y","b":1e400,"c":[-1E999, 1.0,"\\udc00\\ud83d\\ude00"],"d":12345678901234567890}'
  writeFileSync(path, `${eventLine(text, 0)}\n`)
  const run = await exits(
    0,
    runHosted(['transform', '--preset', 'posthog', '--in', path, '--out', out, '--json']),
  )
  const mended =
    '{"a":"\\n\\u00e9\\/x\\ufffdy","b":"1e400","c":["-1E999", 1.0,"\\ufffd\\ud83d\\ude00"],"d":12345678901234567890}'
  expectValues([readFileSync(join(out, '2024-03-01.ndjson'), 'utf8')], [mended])
  expect(JSON.parse(run.stdout)).toMatchObject({
    mends: { lone_surrogate: 2, huge_number: 2, big_integer: 0 },
    big_integers: { d: 1 },
  })
})

test('promise 3: a name that is too long is cut, blanks around ids are taken away, and both are counted', async () => {
  const path = join(testFolder(), 'events.ndjson')
  const events = [
    { event: `${'ä'.repeat(100)}1`, distinct_id: ' u', properties: {} },
    { event: `${'ä'.repeat(100)}2`, distinct_id: 'u', properties: {} },
    { event: '$create_alias', distinct_id: 'u', properties: { alias: 'v ' } },
  ].map((event) => JSON.stringify({ ...event, timestamp: '2024-03-01T12:00:00Z' }))
  writeFileSync(path, `${events.join('\n')}\n`)
  const run = await runHosted(['check', '--file', path, '--json'])
  expect(JSON.parse(run.stdout)).toMatchObject({
    names: { ['ä'.repeat(100)]: 2, $create_alias: 1 },
    problems: [
      { code: 'event_names_cut', level: 'note', count: 2 },
      { code: 'ids_trimmed', level: 'note', count: 2 },
    ],
  })
  const out = join(testFolder(), 'out')
  const made = await runHosted(['transform', '--preset', 'posthog', '--in', path, '--out', out, '--json'])
  expect(JSON.parse(made.stdout)).toMatchObject({ mends: { event_name_cut: 2, id_trimmed: 2 } })
  const lines = readFileSync(join(out, '2024-03-01.ndjson'), 'utf8').trimEnd().split('\n')
  const rows = lines.map((line) => JSON.parse(line))
  expect(new Set(rows.map(({ uuid }) => uuid)).size).toBe(3)
  expect(rows.map(({ distinct_id }) => distinct_id)).toEqual(['u', 'u', 'u'])
  expect(rows.map(({ properties }) => properties.alias).filter(Boolean)).toEqual(['v'])
})

test('promise 3: import changes what the service would refuse, that alone, and counts it too', async () => {
  const path = join(testFolder(), 'events.ndjson')
  const text = '{"a":"\\n\\u00e9\\/x\\ud800y","b":1e400,"c":[-1E999, 1.0],"d":12345678901234567890,"e":7}'
  writeFileSync(path, `${eventLine(text, 0)}\n`)
  const mended =
    '{"a":"\\n\\u00e9\\/x\\ufffdy","b":"1e400","c":["-1E999", 1.0],"d":12345678901234567890,"e":7}'
  expectValues(await importAll(['--file', path]), [mended])
})

test('promise 3: asked for, integers over 2^53 leave as strings of the same digits', async () => {
  const path = join(testFolder(), 'events.ndjson')
  writeFileSync(path, `${eventLine('{"id":12345678901234567890,"small":7}', 0)}\n`)
  const events = await importAll(['--file', path, '--big-integers', 'string'])
  expectValues(events, ['{"id":"12345678901234567890","small":7}'])
})
