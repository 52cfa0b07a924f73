import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { listInputs } from '../../src/inputs/list.ts'
import { readRecords } from '../../src/inputs/read.ts'
import type { RecordSink } from '../../src/inputs/record-sink.ts'
import { S3Store } from '../../src/store/s3.ts'
import { testBucket } from '../helpers/bucket.ts'
import { runCli } from '../helpers/cli-process.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { writeParquet } from '../helpers/parquet.ts'
import { makeZip } from '../helpers/zip.ts'

const server = testBucket({ pageSize: 2 })

interface Records {
  readonly lines: string[]
  readonly names: string[]
  readonly numbers: number[]
  readonly progress: number
}

async function recordsIn(...paths: string[]): Promise<Records> {
  const lines: string[] = []
  const numbers: number[] = []
  let progress = 0
  const sink: RecordSink = {
    line: (bytes, start, end, _, number) => {
      lines.push(bytes.toString('utf8', start, end))
      numbers.push(number)
    },
    tooLong: () => lines.push('too long'),
    reject: (reject) => void lines.push(`reject ${reject.reason}`),
    unusable() {},
  }
  const inputs = await listInputs(paths)
  for (const input of inputs) await readRecords(input, sink, { progress: (bytes) => (progress += bytes) })
  expect(progress).toBe(inputs.reduce((sum, input) => sum + input.size, 0))
  return { lines, numbers, names: inputs.map((input) => input.name), progress }
}

const lines = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => `{"event":"e","n":${from + i}}\n`).join('')
const split = (text: string) => text.trimEnd().split('\n')

test('a zip archive is read member by member, each for what it is', async () => {
  const folder = testFolder()
  const zip = makeZip([
    { name: '123/123_2024-03-01_10#0.json.gz', data: gzipSync(lines(0, 3000)), stored: true },
    { name: '123/123_2024-03-01_9#0.json.gz', data: gzipSync(lines(3000, 10)) },
    { name: 'table.csv', data: Buffer.from('event,n\ne,1\n') },
    { name: '__MACOSX/._table.csv', data: Buffer.from('fork') },
    { name: '../up.ndjson', data: Buffer.from(lines(9, 1)) },
  ])
  await writeFile(join(folder, 'export.zip'), zip)
  const records = await recordsIn(folder)
  expect(records.names).toEqual([
    'export.zip/123/123_2024-03-01_10#0.json.gz',
    'export.zip/123/123_2024-03-01_9#0.json.gz',
    'export.zip/table.csv',
    'export.zip/../up.ndjson',
  ])
  expect(records.lines).toEqual([
    ...split(lines(0, 3000)),
    ...split(lines(3000, 10)),
    '{"event":"e","n":"1"}',
    ...split(lines(9, 1)),
  ])
})

test('a damaged archive, and what an archive should not hold, are refused by name', async () => {
  const folder = testFolder()
  const path = join(folder, 'a.zip')
  await writeFile(path, makeZip([{ name: 'a.ndjson', data: Buffer.from(lines(0, 9000)) }]).subarray(0, 5000))
  await expect(recordsIn(path)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('a.zip'),
  })
  await writeFile(path, makeZip([{ name: 'b.zip', data: makeZip([]) }]))
  await expect(recordsIn(path)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('b.zip'),
  })
  await writeFile(path, makeZip([{ name: 'a.ndjson', data: Buffer.from(lines(0, 9)), badCrc: true }]))
  await expect(recordsIn(path)).rejects.toMatchObject({ code: 'input' })
  await writeFile(path, makeZip([{ name: 'bomb.ndjson', data: Buffer.alloc(80_000_000, 10) }]))
  await expect(recordsIn(path)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('bomb'),
  })
})

test('brotli is unpacked, and told when it is cut short', async () => {
  const folder = testFolder()
  const path = join(folder, 'a.jsonl.br')
  await writeFile(path, brotliCompressSync(lines(0, 5000)))
  expect((await recordsIn(path)).lines).toEqual(split(lines(0, 5000)))
  await truncate(path, 200)
  await expect(recordsIn(path)).rejects.toMatchObject({ code: 'input' })
})

test('rows of Parquet come in the order of the file, wherever it lies and whatever it is called', async () => {
  const folder = testFolder()
  await mkdir(join(folder, 'day=1'))
  const path = join(folder, 'day=1', 'rows [1].parquet')
  const plain = join(folder, 'rows.parquet')
  await writeParquet(plain, 'SELECT i AS n FROM range(50000) AS r(i)', ', CODEC zstd, ROW_GROUP_SIZE 4096')
  await writeFile(path, await readFile(plain))
  await writeFile(join(folder, 'rows.zip'), makeZip([{ name: 'rows.parquet', data: await readFile(plain) }]))
  const wanted = Array.from({ length: 50_000 }, (_, i) => `{"n":${i}}`)
  for (const place of [plain, path, join(folder, 'rows.zip')]) {
    const { lines: found, numbers } = await recordsIn(place)
    expect(found).toEqual(wanted)
    expect(numbers.at(-1)).toBe(50_000)
  }
})

test('damaged Parquet is refused by name', async () => {
  const folder = testFolder()
  const path = join(folder, 'rows.parquet')
  await writeParquet(path, 'SELECT i AS n FROM range(50000) AS r(i)')
  await truncate(path, 10_000)
  await expect(recordsIn(path)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('rows.parquet cannot be read as Parquet'),
  })
})

test('inputs are read from buckets as from folders', async () => {
  const store = new S3Store(server.location('raw'))
  const folder = testFolder()
  await writeParquet(join(folder, 'p'), 'SELECT 7 AS n')
  await store.put('a.ndjson', Buffer.from(lines(0, 100)))
  await store.put('b/c.ndjson.gz', gzipSync(lines(100, 100)))
  await store.put('d.parquet', await readFile(join(folder, 'p')))
  await store.put('e.zip', makeZip([{ name: 'x.ndjson', data: Buffer.from(lines(200, 100)) }]))
  const { lines: found } = await recordsIn(server.location('raw'))
  expect(found).toEqual([...split(lines(0, 200)), '{"n":7}', ...split(lines(200, 100))])
  expect((await recordsIn(store.address('b/c.ndjson.gz'))).names).toEqual(['c.ndjson.gz'])
  await expect(recordsIn(server.location('nothing'))).rejects.toMatchObject({ code: 'input' })
})

test('an instant of Parquet is written in UTC on a machine in any zone: uuids are made of it', async () => {
  const folder = testFolder()
  const at =
    "SELECT 'e' AS event, 'u1' AS distinct_id, TIMESTAMPTZ '2024-03-01 10:00:00+00' AS timestamp, timestamp AS seen"
  await writeParquet(join(folder, 'rows.parquet'), at)
  const words = ['transform', '--preset', 'events', '--in', 'rows.parquet', '--out', 'ev']
  await exits(0, runCli(words, { TZ: 'America/New_York' }, folder))
  const line = await readFile(join(folder, 'ev/2024-03-01.ndjson'), 'utf8')
  expect(JSON.parse(line).properties.seen).toBe('2024-03-01 10:00:00+00')
})
