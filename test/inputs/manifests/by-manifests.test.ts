import { expect, test } from 'vitest'
import { listInputs } from '../../../src/inputs/list.ts'
import type { FileRemark } from '../../../src/inputs/manifests/remark.ts'
import { S3Store } from '../../../src/store/s3.ts'
import { testBucket } from '../../helpers/bucket.ts'
import { folderOf } from '../../helpers/folder.ts'

const LINE = '{"event_id":1}\n'
const server = testBucket()

/** A folder with a line in each of `names`, and with manifests. */
function folder(names: readonly string[], manifests: Readonly<Record<string, object>>) {
  return folderOf({ ...Object.fromEntries(names.map((name) => [name, LINE])), ...manifests })
}

async function listed(root: string, unsettledDays = false) {
  const remarks: Array<Omit<FileRemark, 'vendor'>> = []
  const remark = ({ what, names }: FileRemark) => remarks.push({ what, names: [...names].sort() })
  const files = await listInputs([root], { remark, unsettledDays })
  return { files: files.map(({ name, table }) => [name, table]), remarks }
}

const BUCKET = 's3://heap-rs3-example'
/** The first file of a table in a sync. */
const part = (sync: number, table: string) => `sync_${sync}/${table}/part-00000.json`

function heapSync(n: number, tables: Readonly<Record<string, boolean>>, parts = 1) {
  const folder = (name: string) => `${BUCKET}/sync_${n}/${name.toLowerCase()}`
  const files = (name: string) =>
    Array.from({ length: parts }, (_, part) => `${folder(name)}/part-0000${part}.json`)
  return {
    dump_id: n,
    tables: Object.entries(tables).map(([name, incremental]) => {
      return { name, columns: ['event_id'], files: files(name), incremental }
    }),
  }
}

const FULL = false
const ADDED = true

test('of a Heap table, the newest full dump and what was added after it, in their order', async () => {
  const names = [8, 9, 10, 11].flatMap((n) => [part(n, 'pageviews'), part(n, 'users')])
  const root = folder(names, {
    'manifests/sync_8.json': heapSync(8, { pageviews: FULL, users: FULL }),
    'manifests/sync_9.json': heapSync(9, { pageviews: FULL, users: ADDED }),
    'manifests/sync_10.json': heapSync(10, { pageviews: ADDED, users: ADDED }),
    'manifests/sync_11.json': heapSync(11, { pageviews: ADDED, users: FULL }),
  })
  expect(await listed(root)).toEqual({
    files: [...[9, 10, 11].map((n) => [part(n, 'pageviews'), 'pageviews']), [part(11, 'users'), 'users']],
    remarks: [
      { what: 'stale', names: [part(10, 'users'), part(8, 'pageviews'), part(8, 'users'), part(9, 'users')] },
    ],
  })
})

test("a table has its manifest's name, also in a copy below other folders", async () => {
  const root = folder(['copy/heap/sync_1/order/part-00000.json', 'copy/heap/sync_1/order/part-00001.json'], {
    'copy/heap/manifests/sync_1.json': heapSync(1, { Order: FULL }, 2),
  })
  const files = [
    ['copy/heap/sync_1/order/part-00000.json', 'Order'],
    ['copy/heap/sync_1/order/part-00001.json', 'Order'],
  ]
  expect(await listed(root)).toEqual({ files, remarks: [] })
})

test('a file that a manifest names and is missing stops, unless it is stale', async () => {
  const manifests = {
    'manifests/sync_1.json': heapSync(1, { pageviews: FULL }),
    'manifests/sync_2.json': heapSync(2, { pageviews: FULL }),
  }
  expect((await listed(folder(['sync_2/pageviews/part-00000.json'], manifests))).files).toHaveLength(1)
  await expect(listed(folder(['sync_1/pageviews/part-00000.json'], manifests))).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining(`${BUCKET}/sync_2/pageviews/part-00000.json`),
  })
})

test('a part of the same name in another sync is not the one that is missing', async () => {
  const root = folder(['pageviews/part-00000.json'], {
    'manifests/sync_1.json': heapSync(1, { pageviews: FULL }),
  })
  await expect(listed(root)).rejects.toMatchObject({ code: 'input' })
})

test('a bucket is read as a folder is, whatever is above it there', async () => {
  const store = new S3Store(server.location('copies/heap'))
  for (const n of [1, 2]) {
    const manifest = JSON.stringify(heapSync(n, { Order: FULL }))
    await store.put(`manifests/sync_${n}.json`, Buffer.from(manifest))
    await store.put(`sync_${n}/order/part-00000.json`, Buffer.from(LINE))
  }
  expect(await listed(server.location('copies/heap'))).toEqual({
    files: [['sync_2/order/part-00000.json', 'Order']],
    remarks: [{ what: 'stale', names: ['sync_1/order/part-00000.json'] }],
  })
})

test('files that no manifest names: of a sync they are left out, others are read; both are said', async () => {
  const names = ['sync_1/pageviews/part-00000.json', 'sync_2/pageviews/part-00000.json', 'people.json']
  const root = folder(names, { 'manifests/sync_1.json': heapSync(1, { pageviews: FULL }) })
  expect(await listed(root)).toEqual({
    files: [
      ['people.json', 'people'],
      ['sync_1/pageviews/part-00000.json', 'pageviews'],
    ],
    remarks: [
      { what: 'unnamed_read', names: ['people.json'] },
      { what: 'unnamed', names: ['sync_2/pageviews/part-00000.json'] },
    ],
  })
})

test('a table without a full dump is read, and its missing rows are said', async () => {
  const root = folder(['sync_2/pageviews/part-00000.json'], {
    'manifests/sync_2.json': heapSync(2, { pageviews: ADDED }),
  })
  expect(await listed(root)).toEqual({
    files: [['sync_2/pageviews/part-00000.json', 'pageviews']],
    remarks: [{ what: 'never_whole', names: ['pageviews'] }],
  })
})

test("a file with a manifest's name and another form is read, and said", async () => {
  for (const [name, table] of [
    ['pageviews/sync_1.json', 'pageviews'],
    ['exportmanifest.json', 'exportmanifest'],
  ] as const) {
    const root = folder([], { [name]: { event_id: 1 } })
    expect(await listed(root)).toEqual({
      files: [[name, table]],
      remarks: [{ what: 'not_a_manifest', names: [name] }],
    })
  }
})

const APP = 's3://acme/datasync/5001/6001'

/** An export of one day of Pendo, in a folder named after its counter. */
function pendoExport(counter: number, day: string, what: 'all' | 'matched' | 'relative') {
  const at = what === 'relative' ? '' : `${APP}/e${counter}/`
  return {
    counter,
    rootUrl: `${APP}/e${counter}`,
    pageDefinitionsFile: [`${at}allpages.json`],
    featureDefinitionsFile: [],
    trackTypeDefinitionsFile: null,
    timeDependent: [
      {
        periodId: `${day}T00:00:00Z`,
        ...(what !== 'matched' && { allEvents: { files: [`${at}allevents.json`] } }),
        matchedEvents: [{ id: 'Page/abc', files: [`${at}matchedEvents/Page/abc.json`] }],
      },
    ],
  }
}

const pendoFiles = (...exports: readonly string[]) =>
  exports.flatMap((name) =>
    ['allpages', 'allevents', 'matchedEvents/Page/abc'].map((file) => `6001/${name}/${file}.json`),
  )

const APRIL = [
  pendoExport(4, '2024-04-01', 'relative'),
  pendoExport(2, '2024-04-01', 'all'),
  pendoExport(5, '2024-04-01', 'matched'),
  pendoExport(6, '2024-04-11', 'all'),
]
const MATCHED = 'matchedEvents/Page/abc.json'

async function pendoFolder() {
  const names = pendoFiles('e2', 'e4', 'e5', 'e6').filter((name) => name !== '6001/e5/allevents.json')
  return folder([...names, '6001/e2/billofmaterials.json'], {
    '6001/exportmanifest.json': { exports: APRIL },
  })
}

test("of a day in Pendo, the last export's events; the newest 10 days are left out", async () => {
  expect(await listed(await pendoFolder())).toEqual({
    files: [
      ['6001/e4/allevents.json', 'allevents'],
      [`6001/e5/${MATCHED}`, 'matchedPageEvents'],
      ['6001/e6/allpages.json', 'allpages'],
    ],
    remarks: [
      {
        what: 'stale',
        names: [
          ...['allevents.json', 'allpages.json', MATCHED].map((name) => `6001/e2/${name}`),
          ...['6001/e4/allpages.json', `6001/e4/${MATCHED}`, '6001/e5/allpages.json'],
        ],
      },
      { what: 'unsettled', names: ['6001/e6/allevents.json', `6001/e6/${MATCHED}`] },
    ],
  })
})

test('days that Pendo may still change are read when they are asked for', async () => {
  const { files, remarks } = await listed(await pendoFolder(), true)
  expect(files).toContainEqual(['6001/e6/allevents.json', 'allevents'])
  expect(files).toContainEqual([`6001/e6/${MATCHED}`, 'matchedPageEvents'])
  expect(remarks.map(({ what }) => what)).toEqual(['stale'])
})

test("Pendo's accounts and visitors are those of the newest export; what it forgot is old", async () => {
  const exports = [2, 1].map((counter) => {
    const rootUrl = `s3://acme/datasync/5001/visitor/v${counter}`
    return {
      counter,
      rootUrl,
      visitors: { files: [`${rootUrl}/visitors-000.json`] },
      metadataSchemaFile: 'x',
    }
  })
  const kinds = ['visitors-000.json', 'metadataschema.json']
  const names = ['v0', 'v1', 'v2'].flatMap((one) => kinds.map((kind) => `${one}/${kind}`))
  const root = folder(names, { 'exportmanifest.json': { exports } })
  expect(await listed(root)).toEqual({
    files: [['v2/visitors-000.json', 'visitors']],
    remarks: [
      { what: 'unnamed', names: ['v0/visitors-000.json'] },
      { what: 'stale', names: ['v1/visitors-000.json'] },
    ],
  })
})

test('a folder in which all days may still change is no empty one', async () => {
  const export1 = { ...pendoExport(1, '2024-04-01', 'all'), pageDefinitionsFile: [] }
  const root = folder(['e1/allevents.json', `e1/${MATCHED}`], {
    'exportmanifest.json': { exports: [export1] },
  })
  await expect(listed(root)).rejects.toMatchObject({
    code: 'input',
    hint: expect.stringContaining('--with unsettled-days'),
  })
})

test('a file with settled and unsettled days is read, and that is said', async () => {
  const days = ['2024-04-01', '2024-04-30'].map((day) => {
    return { periodId: `${day}T00:00:00Z`, allEvents: { files: ['e1/allevents.json'] } }
  })
  const root = folder(['e1/allevents.json'], {
    'exportmanifest.json': { exports: [{ counter: 1, timeDependent: days }] },
  })
  expect(await listed(root)).toEqual({
    files: [['e1/allevents.json', 'allevents']],
    remarks: [{ what: 'unsettled_read', names: ['e1/allevents.json'] }],
  })
})
