import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listInputs } from '../../src/inputs/list.ts'
import { readRecords } from '../../src/inputs/read.ts'
import { Mapper } from '../../src/mapping/mapper.ts'
import { readsTable } from '../../src/mapping/side-table.ts'
import { loadPreset } from '../../src/presets/index.ts'
import { loadMapping } from '../../src/transform/load-mapping.ts'
import { avroFile } from '../helpers/avro.ts'
import { testFolder } from '../helpers/folder.ts'
import { AT_2026 } from '../helpers/mapper.ts'
import { Collected } from '../inputs/collected.ts'

const ROOT = new URL('../../', import.meta.url)
const HEADERS = 'column_headers.tsv'
const FIXTURES = readdirSync(new URL('fixtures/recipes/', ROOT)).filter((name) => name !== HEADERS)

const text = ['null', 'string']
const BRAZE = {
  type: 'record',
  name: 'Event',
  fields: [
    { name: 'id', type: 'string' },
    ...['user_id', 'external_user_id', 'name', 'properties', 'campaign_name'].map((name) => {
      return { name, type: text }
    }),
    { name: 'time', type: 'long' },
  ],
}
const OF_BRAZE = { external_user_id: null, name: null, properties: null, campaign_name: null }
/** As Currents writes them: a folder for each kind of event. */
const CURRENTS: Readonly<Record<string, readonly object[]>> = {
  'users.behaviors.CustomEvent': [
    {
      ...OF_BRAZE,
      id: 'a1f0c9de-31b4-4c4a-9a44-0a9b7d1f0001',
      user_id: '5c77f0de',
      external_user_id: 'user-42',
      name: 'trial begun',
      properties: '{"plan":"pro"}',
      time: 1717230123,
    },
    {
      ...OF_BRAZE,
      id: 'a1f0c9de-31b4-4c4a-9a44-0a9b7d1f0002',
      user_id: '5c77f0de',
      name: 'trial begun',
      time: 1717230125,
    },
  ],
  'users.behaviors.app.SessionStart': [{ ...OF_BRAZE, id: 's', user_id: '5c77f0de', time: 1717230125 }],
  'users.messages.email.Open': [
    {
      ...OF_BRAZE,
      id: 'a1f0c9de-31b4-4c4a-9a44-0a9b7d1f0003',
      user_id: '5c77f0de',
      external_user_id: 'user-42',
      campaign_name: 'spring',
      time: 1717230126,
    },
  ],
}

/** The files of a vendor, as its page says to name them in `--in`. */
function delivered(vendor: string): string {
  if (vendor !== 'braze') {
    const file = FIXTURES.find((name) => name.startsWith(`${vendor}.`))!
    return fileURLToPath(new URL(`fixtures/recipes/${file}`, ROOT))
  }
  const folder = testFolder()
  for (const [kind, events] of Object.entries(CURRENTS)) {
    const date = join(folder, `event_type=${kind}`, 'date=2024-06-01-08')
    mkdirSync(date, { recursive: true })
    writeFileSync(join(date, 'part-0001.avro'), avroFile(BRAZE, events, { codec: 'snappy' }))
  }
  return folder
}

/** What each record of a vendor becomes by the mapping file of its page: an event, or `{ left: reason }`. */
async function follow(vendor: string) {
  const page = readFileSync(new URL(`docs/vendors/${vendor}.md`, ROOT), 'utf8')
  const yaml = /```yaml\n(.*?)```/s.exec(page)![1]!
  const folder = testFolder()
  writeFileSync(join(folder, 'mapping.yaml'), yaml)
  copyFileSync(new URL(`fixtures/recipes/${HEADERS}`, ROOT), join(folder, HEADERS))
  const { preset, mapping, columns } = await loadMapping(join(folder, 'mapping.yaml'))
  const loaded = await loadPreset(preset!)
  const records = new Collected()
  for (const input of await listInputs([delivered(vendor)]))
    await readRecords(input, records, { columns, withTable: readsTable(loaded, mapping) })
  const mapper = new Mapper(loaded, mapping, AT_2026)
  return records.lines.flatMap((line) => {
    const bytes = Buffer.from(line)
    const mapped = mapper.map(bytes, 0, bytes.length)
    if (mapped.status === 'filtered') return [{ left: mapped.reason }]
    if (mapped.status === 'rejected') throw new Error(mapped.message)
    return [JSON.parse(mapped.text)]
  })
}

test.each([
  [
    'goatcounter',
    ['$pageview 3f1-a 2024-06-01T08:22:03', 'goatcounter event 3f1-a 2024-06-01T08:23:10', 'not_where'],
  ],
  [
    'plausible',
    [
      '$pageview 18446744073709551615 2024-03-02T00:10:00',
      '$pageview 18446744073709551615 2024-03-02T00:10:00',
      'event_dropped',
      'Order 18446744073709551615 2024-03-02T00:10:30',
    ],
  ],
  ['vercel', ['$pageview 67890 2024-06-01T08:22:03', 'order placed 67890 2024-06-01T08:23:03']],
  [
    'braze',
    [
      'trial begun user-42 2024-06-01T08:22:03',
      'trial begun 5c77f0de 2024-06-01T08:22:05',
      'event_dropped',
      'braze email open user-42 2024-06-01T08:22:06',
    ],
  ],
  [
    'adobe',
    [
      '$pageview 55512340001 2024-06-01T08:22:03',
      'link click user-42 2024-06-01T08:22:10',
      'not_where',
      'not_where',
    ],
  ],
  [
    'countly',
    ['$pageview user-42 2024-06-01T08:22:03', 'event_dropped', 'order placed user-42 2024-06-01T08:22:05'],
  ],
  [
    'customer-io',
    [
      'message opened user-42 2024-06-01T08:22:03',
      'message delivered user-43 2024-06-01T08:22:05',
      'event_dropped',
    ],
  ],
])('the mapping file of the page of %s makes events of its records', async (vendor, expected) => {
  const events = await follow(vendor)
  const told = events.map(
    (one) => one.left ?? `${one.event} ${one.distinct_id} ${one.timestamp.slice(0, 19)}`,
  )
  expect(told).toEqual(expected)
  for (const { left, properties } of events)
    if (!left) expect(properties.analytics_source).toBe(vendor.replace('-', '.'))
})

test('page views keep where they were, and make no person', async () => {
  for (const vendor of ['goatcounter', 'plausible', 'vercel']) {
    const [view] = await follow(vendor)
    expect(view.properties).toMatchObject({ $pathname: '/tea', $process_person_profile: false })
  }
})

test('cells of a feed are named by its list of columns, with quotes as they are', async () => {
  const [view] = await follow('adobe')
  expect(view.properties).toMatchObject({
    $current_url: 'https://shop.example/pricing',
    $raw_user_agent: 'Mozilla/5.0 "quoted"',
    post_evar5: 'spring',
  })
})

test('every fixture of a recipe is followed', () => {
  expect(FIXTURES.map((name) => name.split('.')[0]).sort()).toEqual(
    'adobe countly customer-io goatcounter plausible vercel'.split(' '),
  )
})

test('a list of columns that is none is a matter of configuration', async () => {
  const folder = testFolder()
  writeFileSync(join(folder, 'mapping.yaml'), 'columns_from: list.tsv')
  const code = { code: 'config', message: expect.stringContaining('list.tsv') }
  await expect(loadMapping(join(folder, 'mapping.yaml'))).rejects.toMatchObject(code)
  writeFileSync(join(folder, 'list.tsv'), 'one name\n')
  await expect(loadMapping(join(folder, 'mapping.yaml'))).rejects.toMatchObject(code)
})
