import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listInputs } from '../../src/inputs/list.ts'
import { tableOf } from '../../src/inputs/probe.ts'
import { formatReject } from '../../src/record/reject.ts'
import { folderOf } from '../helpers/folder.ts'
import { makeZip } from '../helpers/zip.ts'

test.each([
  // Of numbered parts, the folder.
  [
    'sync_12/checkout_click_buy/part-00000-3f1c9f7e-8c1d-4a0b-9d5e-0f6b7a8c9d01-c000.avro',
    'checkout_click_buy',
  ],
  ['tracks/000.parquet', 'tracks'],
  ['tracks/part-00000-tid-54321-3f1c9f7e-8c1d-4a0b-9d5e-0f6b7a8c9d01-0-1-c000.snappy.parquet', 'tracks'],
  ['part_time_jobs.csv', 'part_time_jobs'],
  ['pages/dt=2024-06-01/hour=03/0000_part_00.gz', 'pages'],
  ['pages/2024/06/01/run-1717200000.json.gz', 'pages'],
  ['pages/2024-06-01T00:00:00Z.csv', 'pages'],
  ['identifies/3f1c9f7e-8c1d-4a0b-9d5e-0f6b7a8c9d01.avro', 'identifies'],
  ['order_completed/data_0_0_0.csv.gz', 'order_completed'],
  ['step_2/data.csv', 'step_2'],
  ['event_type=users.messages.email.Open/date=2024-06-01-08/440/prod.avro', 'users.messages.email.Open'],
  ['black_friday_20231124/part-0.avro', 'black_friday_20231124'],
  // The file's own name, without numbering and endings.
  ['pages.csv', 'pages'],
  ['export/pages.csv.gz', 'pages'],
  ['events_20240601.ndjson', 'events'],
  ['events_intraday_20240601.ndjson', 'events_intraday'],
  ['tracks_2024-06-01.parquet', 'tracks'],
  ['pages-000000000003.json.gz', 'pages'],
  ['visitors-012.avro', 'visitors'],
  ['users0001_part_00.gz', 'users'],
  ['matchedEvents/Page/allevents-3f1c9f7e-8c1d-4a0b-9d5e-0f6b7a8c9d01.avro', 'allevents'],
  ['Checkout.Step.2.csv', 'Checkout.Step.2'],
  ['checkout_step_2.csv', 'checkout_step_2'],
  ['promo_2023.csv', 'promo_2023'],
  ['größe "x".csv', 'größe "x"'],
  // Nothing that names one.
  ['part-0.avro', undefined],
  ['sync_12/part-0.avro', undefined],
  ['raw/part-0.avro', undefined],
  ['Downloads/2024-06-01.csv', undefined],
  ['', undefined],
])('%s is of the table %s', (path, table) => {
  expect(tableOf(path)).toBe(table)
})

test('the table is looked for in what the user named, and no further up', async () => {
  const line = '{"a":1}\n'
  const folder = folderOf({
    'sync_12/checkout/part-0.ndjson': line,
    'pages.ndjson': line,
    '2024/2024-06-01.ndjson': line,
  })
  const tables = async (path: string) => (await listInputs([path])).map(({ table }) => table)
  expect(await tables(join(folder, 'sync_12/checkout/part-0.ndjson'))).toEqual(['checkout'])
  expect(await tables(join(folder, 'sync_12/checkout'))).toEqual(['checkout'])
  expect(await tables(join(folder, '*/checkout/*'))).toEqual(['checkout'])
  expect(await tables(join(folder, 'pages.ndjson'))).toEqual(['pages'])
  // The folder above is a test's: it says nothing of the data.
  expect(await tables(join(folder, '2024'))).toEqual([undefined])
})

test('files in an archive have tables; a file of rejects has none', async () => {
  const reject = formatReject({ line: 1, offset: 0, reason: 'r', message: 'm', record: '{}' })
  const folder = folderOf({
    'export.zip': makeZip([
      { name: 'pages/part-0.ndjson', data: Buffer.from('{}\n') },
      { name: 'tracks.csv', data: Buffer.from('a,b\n') },
    ]),
    'tracks.rejects.ndjson': reject,
  })
  const [pages, tracks] = await listInputs([join(folder, 'export.zip')])
  expect([pages?.table, tracks?.table]).toEqual(['pages', 'tracks'])
  const [rejects] = await listInputs([join(folder, 'tracks.rejects.ndjson')])
  expect(rejects).not.toHaveProperty('table')
})
