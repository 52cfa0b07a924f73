import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { makeFolder } from '../helpers/folder.ts'
import { writeParquet } from '../helpers/parquet.ts'
import { makeZip } from '../helpers/zip.ts'

const record = (event: string, properties: object) => JSON.stringify({ event, properties })
const viewed = record('$mp_web_page_view', {
  time: 1700000000,
  distinct_id: 'u1',
  $user_id: 'u1',
  $device_id: 'd1',
  $insert_id: 'x1',
  plan: 'pro',
  token: 'secret',
})
const twin = record('Bought', { time: 1700000001, distinct_id: 'u2' })
const timeless = record('Signed Up', { distinct_id: 'u2' })
const RAW = `${viewed}\n\n${timeless}\n${twin}\n${twin}\n`

const TABLE = 'what,who,when,amount\nBought,anna,2024-01-01 00:00:00,12\nSold,bert,2024-01-02 00:00:00,7\n'
const MAPPING = `fields: { event: what, distinct_id: who, timestamp: when }
events: { rename: { Sold: item sold } }
properties: { rename: { amount: price }, set: { shop: north } }
`

const folder = makeFolder()
const at = (name: string) => join(folder, name)

/** Runs `explain` on a file of the folder; its JSON, where that is asked for. */
async function explain(file: string, ...argv: string[]) {
  const ran = await runCommand(['explain', at(file), ...argv])
  // How messages are folded depends on the length of the folder's name.
  return { ...ran, said: ran.stderr.replaceAll(/\s+/g, ' '), json: () => JSON.parse(ran.stdout) }
}

beforeAll(async () => {
  writeFileSync(at('a.ndjson'), RAW)
  writeFileSync(at('packed.ndjson.gz'), gzipSync(RAW))
  writeFileSync(at('table.csv'), TABLE)
  writeFileSync(at('mapping.yaml'), MAPPING)
  const data = Buffer.from(TABLE)
  writeFileSync(at('two.zip'), makeZip(['x/table.csv', 'y/table.csv'].map((name) => ({ name, data }))))
  const words = ['--preset', 'mixpanel', '--in', 'a.ndjson', '--out', 'events', '--max-reject-ratio', '1']
  await exits(3, runHosted(['transform', ...words], {}, folder))
})

/** The events of the dataset that was made of a.ndjson. */
function events(): Array<{ uuid: string; event: string }> {
  const lines = readFileSync(at('events/2023-11-14.ndjson'), 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line))
}

test('one record and its event, member by member, as lines for a pipe and side by side on a terminal', async () => {
  const { stdout } = await exits(0, explain('a.ndjson', '--preset', 'mixpanel'))
  for (const shown of [
    'a.ndjson, line 1, by the preset mixpanel\n',
    'event "$mp_web_page_view"\n  ≠ event "$pageview"\n    preset mixpanel\n',
    'properties.plan "pro"\n  → properties.plan\n    no rule names it\n',
    'properties.token "secret"\n  – left out: preset\n',
    '+ properties.$geoip_disable true\n    posthaul, on every event\n',
    'links     the anonymous id d1 to u1',
  ])
    expect(stdout).toContain(shown)
  const wide = await runCommand(['explain', at('a.ndjson'), '--preset', 'mixpanel'], { columns: 120 })
  expect(wide.stdout).toMatch(/^event "\$mp_web_page_view" +≠ event "\$pageview" +preset mixpanel$/m)
  expect(wide.stdout.split('\n').filter((line) => line.length > 120)).toEqual([])
  const narrow = await runCommand(['explain', at('a.ndjson'), '--preset', 'mixpanel'], { columns: 60 })
  expect(narrow.stdout).toContain('event "$mp_web_page_view"\n  ≠ event "$pageview"\n')
})

test('--line counts as posthaul does, and a reject has its reason and what to do', async () => {
  for (const file of ['a.ndjson', 'packed.ndjson.gz']) {
    const { stdout, code } = await explain(file, '--preset', 'mixpanel', '--line', '3')
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('rejected  timestamp_missing: time is missing\n'),
    ])
    expect(stdout).toContain('to do     name the member that holds it: fields.timestamp in a mapping file')
  }
  const blank = await explain('a.ndjson', '--preset', 'mixpanel', '--line', '2')
  expect([blank.code, blank.stdout]).toEqual([3, ''])
  expect(blank.stderr).toContain('number 2 is no record\n  the next one is number 3')
  expect((await explain('a.ndjson', '--preset', 'mixpanel', '--line', '99')).stderr).toContain(
    'number 99 is beyond the end\n  the last record is number 5\n',
  )
})

test('a table, and one of several files in an archive', async () => {
  const map = ['--map', at('mapping.yaml')]
  const { json } = await explain('table.csv', ...map, '--line', '3', '--json')
  expect(json()).toMatchObject({ command: 'explain', found: true, preset: 'events', unit: 'line', number: 3 })
  const [part] = json().parts
  expect(part).toMatchObject({
    outcome: 'event',
    source_event: 'Sold',
    event: { event: 'item sold', uuid_from: 'content' },
  })
  expect(part.members).toContainEqual({
    path: 'amount',
    value: '"7"',
    cell: null,
    fates: ['renamed: price'],
    to: ['properties.price'],
    rules: ['mapping file: properties.rename.amount'],
  })
  await exits(2, explain('two.zip', ...map, '--line', '3'), '--line two.zip/x/table.csv:12')
  const named = await explain('two.zip', ...map, '--line', 'two.zip/y/table.csv:3')
  expect(named.stdout).toContain('two.zip/y/table.csv, line 3, by the preset events\n')
})

test('--event finds the first of a name, the source’s or PostHog’s, and says what was perhaps meant', async () => {
  const map = ['--map', at('mapping.yaml')]
  for (const name of ['Sold', 'item sold'])
    expect((await explain('two.zip', ...map, '--event', name)).stdout).toContain(
      'two.zip/x/table.csv, line 3,',
    )
  // A record that is rejected has a name in the source all the same.
  expect((await explain('a.ndjson', '--event', 'Signed Up')).stdout).toContain('a.ndjson, line 3, by')
  await exits(3, explain('two.zip', ...map, '--event', 'sold'), 'did you mean Sold?')
})

test('--uuid finds the record of an event, also of one that is generated or of a twin', async () => {
  const [identify, pageview, first, second] = events()
  expect([identify?.event, pageview?.event, second?.event]).toEqual(['$identify', '$pageview', 'Bought'])
  const lines = async (uuid: string) => {
    const { json } = await explain('a.ndjson', '--uuid', uuid, '--json')
    const { number, generated, twin } = json()
    return { number, generated, twin }
  }
  expect(await lines(pageview!.uuid)).toEqual({ number: 1, generated: null, twin: 0 })
  expect(await lines(identify!.uuid)).toEqual({ number: 1, generated: '$identify', twin: 0 })
  const twins = [await lines(first!.uuid), await lines(second!.uuid)].sort((a, b) => a.number - b.number)
  expect(twins).toEqual([
    { number: 4, generated: null, twin: 0 },
    { number: 5, generated: null, twin: 1 },
  ])
  const absent = await explain('a.ndjson', '--uuid', '00000000-0000-5000-8000-000000000000', '--json')
  expect(absent.json()).toMatchObject({ found: false, record: null, parts: [] })
  expect([absent.code, absent.said]).toEqual([
    3,
    expect.stringContaining('none of the 4 records becomes the event'),
  ])
})

test('a file of rejects is explained by the records in it', async () => {
  const { stdout, json } = await explain('events/rejects.ndjson', '--preset', 'mixpanel', '--json')
  expect(json()).toMatchObject({ preset: 'mixpanel', record: timeless })
  expect(stdout).toContain('"remedy":"name the member that holds it')
})

test('two ways of naming a record are one too many, and a dataset has no records', async () => {
  await exits(2, explain('a.ndjson', '--line', '1', '--event', 'a'))
  expect((await explain('events')).said).toContain('holds events, not records')
})

test('cells with a type are shown and kept as they were read, and a mended reject is the event of the file', async () => {
  const row = (who: string) => `what,who,when,amount\nBought,${who},24.12.2024 10:00,"1.234,50"\n`
  writeFileSync(at('typed.csv'), row(''))
  writeFileSync(at('whole.csv'), row('anna'))
  writeFileSync(
    at('typed.yaml'),
    `${MAPPING}columns: { when: { type: time }, amount: { type: number, decimal: "," } }\ntime_format: [DD.MM.YYYY HH:mm]\n`,
  )
  const shown = await explain('whole.csv', '--map', at('typed.yaml'))
  expect(shown.stdout).toContain(
    'amount "1.234,50"\n  ≠ properties.price 1234.50\n    column type number, decimal ,; mapping',
  )
  const made = (await explain('whole.csv', '--map', at('typed.yaml'), '--json')).json()
  expect(JSON.parse(made.record)).toMatchObject({ when: '24.12.2024 10:00', amount: '1.234,50' })
  expect(made.parts[0].members.at(-1)).toMatchObject({ value: '1234.50', cell: '"1.234,50"' })

  const transform = (name: string, out: string) =>
    runHosted(
      ['transform', '--map', 'typed.yaml', '--in', name, '--out', out, '--max-reject-ratio', '1'],
      {},
      folder,
    )
  await exits(3, transform('typed.csv', 'typed'))
  const [line] = readFileSync(at('typed/rejects.ndjson'), 'utf8').trim().split('\n')
  const reject = JSON.parse(line!)
  expect(JSON.parse(reject.record)).toEqual({ what: 'Bought', when: '24.12.2024 10:00', amount: '1.234,50' })
  const record = reject.record.replace('"when"', '"who":"anna","when"')
  writeFileSync(at('typed.rejects.ndjson'), `${JSON.stringify({ ...reject, record })}\n`)
  await exits(0, transform('typed.rejects.ndjson', 'mended'))
  await exits(0, transform('whole.csv', 'whole'))
  const [mended, whole] = ['mended', 'whole'].map((name) =>
    readFileSync(at(`${name}/2024-12-24.ndjson`), 'utf8'),
  )
  expect(mended).toBe(whole)
  expect(mended).toContain(`"uuid":"${made.parts[0].event.uuid}"`)
})

test('an element of a list, and a cell that is one, show what was read, the rule, and the value', async () => {
  const actions = '[{"name":"open","at":"2024-03-01T10:00:00Z"},{"name":"close","at":"2024-03-01T10:00:01Z"}]'
  writeFileSync(at('lists.csv'), `user_id,tags,actions\nu1,vip;new,"${actions.replaceAll('"', '""')}"\n`)
  const map = at('lists.yaml')
  writeFileSync(
    map,
    `explode: actions
explode_with: [tags]
columns: { tags: { type: list, separator: ';' }, actions: { type: json } }
fields: { event: actions.name, distinct_id: user_id, timestamp: actions.at }
`,
  )
  const { stdout } = await exits(0, explain('lists.csv', '--line', '2', '--map', map))
  expect(stdout).toContain('the record becomes 2 events at most')
  expect(stdout).toContain(
    'tags "vip;new"\n  ≠ properties.tags ["vip","new"]\n    column type list, separator ;',
  )
  expect(stdout).toContain('actions.name "close"\n  → event\n    mapping file: fields.event')
})

test('a decimal of Parquet is shown as the file has it, and a time with all its digits', async () => {
  await writeParquet(
    at('shop.parquet'),
    `SELECT 'buy' AS event, 'u1' AS distinct_id, 10.50::DECIMAL(9, 2) AS price,
      TIMESTAMP '2024-03-01 12:34:56.789123' AS timestamp, TIMESTAMP_NS '2024-03-01 12:34:56.123456789' AS scanned`,
  )
  const { stdout } = await explain('shop.parquet', '--line', '1', '--preset', 'events')
  expect(stdout).toContain('price 10.50\n  → properties.price\n')
  expect(stdout).toContain('scanned "2024-03-01 12:34:56.123456789"\n  → properties.scanned\n')
  expect(stdout).toContain(
    'timestamp "2024-03-01 12:34:56.789123"\n  ≠ timestamp "2024-03-01T12:34:56.789123Z"\n',
  )
})
