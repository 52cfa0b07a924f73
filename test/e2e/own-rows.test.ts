import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { folderOf } from '../helpers/folder.ts'

const TABLE = `EVENT_NAME,USER_ID,CREATED_AT,AMOUNT,PROPS,IS_NEW,ROW_ID
Order Paid,u1,2024-03-01 12:00:00,9.50,"{""plan"":""pro""}",TRUE,r1
Order Paid,u2,2024-03-01 12:00:01,7,"{""plan"":""free""}",FALSE,r2
Login,u1,2024-03-02 12:00:02,,,,r3
`

/** Runs a command in a folder with these files. */
async function inFolder(files: Readonly<Record<string, string>>, ...argv: string[]) {
  const folder = folderOf(files)
  return { folder, ...(await runHosted(argv, {}, folder)) }
}

/** The events of a dataset, in order. */
function eventsIn(folder: string): Array<Record<string, unknown> & { properties: Record<string, unknown> }> {
  return readdirSync(folder)
    .filter((name) => /^\d.*\.ndjson$/.test(name))
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line))
}

test('a table without a mapping file names the command that writes one', async () => {
  const { folder, stderr } = await exits(
    2,
    inFolder({ 'rows.csv': TABLE }, ...'transform --in rows.csv --out events'.split(' ')),
  )
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('posthaul init rows.csv --out mapping.yaml')
  expect(stderr).toContain(
    'once it is written: posthaul transform --in rows.csv --out events --map mapping.yaml --dry-run\n',
  )
  await exits(0, runHosted(['init', 'rows.csv', '--out', 'mapping.yaml'], {}, folder))
  const args = ['transform', '--in', 'rows.csv', '--map', 'mapping.yaml', '--out', 'events']
  await exits(0, runHosted(args, {}, folder))
  const events = eventsIn(join(folder, 'events'))
  expect(events.map(({ event, distinct_id, timestamp }) => [event, distinct_id, timestamp])).toEqual([
    ['Order Paid', 'u1', '2024-03-01T12:00:00.000000Z'],
    ['Order Paid', 'u2', '2024-03-01T12:00:01.000000Z'],
    ['Login', 'u1', '2024-03-02T12:00:02.000000Z'],
  ])
  expect(events[0]!.properties).toMatchObject({ AMOUNT: 9.5, plan: 'pro', IS_NEW: true })
})

test('records without a preset are told which one they fit, and why', async () => {
  const record = { event: 'E', properties: { time: 1709294400, distinct_id: 'u', token: 't' } }
  const files = { 'raw.ndjson': `${JSON.stringify(record)}\n` }
  const asked = await inFolder(files, 'transform', '--in', 'raw.ndjson', '--dry-run')
  expect([asked.code, asked.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
    2,
    expect.stringMatching(
      /fit the preset mixpanel 1 of the first 1 records have event, properties.time and properties.distinct_id.* then: posthaul transform --in raw.ndjson --dry-run --preset mixpanel/,
    ),
  ])
  // Under another preset they can't become events, and the error names the one that fits.
  const wrong = await exits(
    2,
    inFolder(files, 'transform', '--preset', 'ga4', '--in', 'raw.ndjson', '--dry-run'),
  )
  expect(wrong.stderr.replaceAll(/\s+/g, ' ')).toContain('The records fit the preset mixpanel, not ga4')
  expect(wrong.stderr).toContain('then: posthaul transform --in raw.ndjson --dry-run --preset mixpanel\n')
})

test('a mapping file whose columns no input has is refused', async () => {
  const files = { 'r.ndjson': '{"event":"E"}\n', 'm.yaml': 'columns: { EVENT: event }\n' }
  await exits(
    2,
    inFolder(files, 'transform', '--map', 'm.yaml', '--in', 'r.ndjson', '--dry-run'),
    'no input is CSV or TSV',
  )
})

test('rows of GA4 that hold JSON as text, as CSV exports of BigQuery do, keep their parameters', async () => {
  const row = (page: number) =>
    `1709296496789123,page_view,u1,"[{""key"":""page_location"",""value"":{""string_value"":""https://a.example/${page}""}}]","[{""key"":""plan"",""value"":{""string_value"":""pro""}}]"\n`
  const header = 'event_timestamp,event_name,user_pseudo_id,event_params,user_properties\n'
  const { folder } = await exits(
    0,
    inFolder(
      { 'ga4.csv': `${header}${row(1)}${row(2)}` },
      ...['transform', '--preset', 'ga4', '--in', 'ga4.csv', '--out', 'out'],
    ),
  )
  const events = eventsIn(join(folder, 'out'))
  expect(events.map(({ properties }) => properties.$current_url).sort()).toEqual([
    'https://a.example/1',
    'https://a.example/2',
  ])
  for (const { properties } of events) expect(properties.$set).toEqual({ plan: 'pro' })
})

test('group keys in arrays are read, and what a rule can’t use is said', async () => {
  const line = (company_id: unknown, id: string) =>
    `${JSON.stringify({ event: 'E', properties: { time: 1709296496, distinct_id: 'u', $insert_id: id, company_id } })}\n`
  const files = {
    'm.yaml': 'preset: mixpanel\ngroups: { company: properties.company_id }\n',
    'raw.ndjson': line(['acme'], 'a') + line(['x', 'y'], 'b') + line({ id: 1 }, 'c'),
  }
  const args = ['transform', '--map', 'm.yaml', '--in', 'raw.ndjson']
  const made = await inFolder(files, ...args, '--out', 'out', '--json')
  const unusable = {
    'groups.company: properties.company_id is an array of several, of which the first is used': 1,
    'groups.company: properties.company_id is an object': 1,
  }
  expect(JSON.parse(made.stdout).unusable).toEqual(unusable)
  const groups = eventsIn(join(made.folder, 'out')).map(({ properties }) => properties.$groups)
  expect(groups).toEqual([{ company: 'acme' }, { company: 'x' }, undefined])
  const tried = await inFolder(files, ...args, '--dry-run')
  for (const said of Object.keys(unusable))
    expect(tried.stdout.replaceAll(/\s+/g, ' ')).toContain(`1 x ${said}`)
})

const EMPTY = { 'empty.ndjson': '', 'blank.ndjson': '\n \n', 'header.csv': 'event,distinct_id,timestamp\n' }

test.each([
  [['transform', '--preset', 'mixpanel', '--in', 'empty.ndjson', '--out', 'out']],
  [['transform', '--preset', 'mixpanel', '--in', 'empty.ndjson', 'blank.ndjson', '--dry-run']],
  [['transform', '--preset', 'events', '--in', 'header.csv', '--out', 'out']],
  [['transform', '--in', 'empty.ndjson', '--out', 'out']],
  [['transform', '--preset', 'mixpanel', '--in', 'none', '--out', 'out']],
  [['transform', '--preset', 'mixpanel', '--in', 'no-*.ndjson', '--out', 'out']],
  [['import', '--file', 'empty.ndjson']],
  [['import', '--file', 'empty.ndjson', 'blank.ndjson', '--dry-run']],
  [['import', '--file', 'none']],
  [['import', '--file', 'no-*.ndjson', '--dry-run']],
  [['check', '--file', 'empty.ndjson']],
  [['check', '--file', 'none']],
  [['verify', '--file', 'blank.ndjson']],
])('input without a record is an error: %j', async (argv) => {
  const folder = folderOf(EMPTY)
  mkdirSync(join(folder, 'none'))
  const env = {
    POSTHOG_HOST: 'http://127.0.0.1:9',
    POSTHOG_INGEST_HOST: 'http://127.0.0.1:9',
    POSTHOG_PROJECT_API_KEY: 'phc_key',
  }
  await exits(2, runHosted(argv, env, folder), /holds no (records|input files)/)
  expect(readdirSync(folder).filter((name) => /checkpoint|out/.test(name))).toEqual([])
})

test('an empty file among others is no error', async () => {
  const row = '{"event":"E","distinct_id":"u","timestamp":"2024-03-01T12:00:00Z"}\n'
  const files = { 'a.ndjson': '', 'b.ndjson': row }
  for (const argv of [
    ['transform', '--preset', 'events', '--in', 'a.ndjson', 'b.ndjson', '--dry-run'],
    ['import', '--file', 'a.ndjson', 'b.ndjson', '--dry-run'],
    ['check', '--file', 'a.ndjson', 'b.ndjson'],
  ]) {
    await exits(0, inFolder(files, ...argv))
  }
})
