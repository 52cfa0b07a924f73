import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { listInputs } from '../../src/inputs/list.ts'
import { readSpread, type Spread } from '../../src/inputs/spread.ts'
import { avroFile } from '../helpers/avro.ts'
import { folderOf } from '../helpers/folder.ts'
import { writeParquet } from '../helpers/parquet.ts'
import { makeZip } from '../helpers/zip.ts'

const never = new AbortController().signal

function lines(count: number, from = 0): string {
  return Array.from({ length: count }, (_, i) => `{"n":${from + i},"pad":"${'x'.repeat(80)}"}\n`).join('')
}

function csv(count: number, from = 0): string {
  return `n,pad\n${Array.from({ length: count }, (_, i) => `${from + i},${'x'.repeat(80)}\n`).join('')}`
}

async function sample(folder: string, records: number, maxBytes?: number): Promise<Spread> {
  const inputs = await listInputs([folder])
  return readSpread(inputs, { records, stop: never, ...(maxBytes && { maxBytes }) })
}

function numbersOf({ records }: Spread): number[] {
  return records.map(({ bytes }) => Number((JSON.parse(bytes.toString()) as { n: unknown }).n))
}

test('small inputs of every format are read whole, and records are taken evenly from all of them', async () => {
  const rows = Array.from({ length: 1000 }, (_, i) => ({ n: 5000 + i }))
  const folder = folderOf({
    'a.ndjson': lines(1000),
    'b.ndjson.gz': gzipSync(lines(1000, 1000)),
    'c.csv': csv(1000, 2000),
    'd.zip': makeZip([
      { name: 'in.json', data: Buffer.from(`[${lines(1000, 3000).trim().replaceAll('\n', ',')}]`) },
    ]),
    'e.tsv': csv(1000, 4000).replaceAll(',', '\t'),
    'f.avro': avroFile({ type: 'record', name: 'r', fields: [{ name: 'n', type: 'int' }] }, rows),
  })
  await writeParquet(join(folder, 'g.parquet'), 'SELECT range + 6000 AS n FROM range(1000)')
  const spread = await sample(folder, 140)
  expect(spread).toMatchObject({ read: 7000, whole: true, files: 7, filesRead: 7, refusedCount: 0 })
  const found = numbersOf(spread)
  expect(found).toHaveLength(140)
  expect(found.slice(0, 5)).toEqual([0, 1, 2, 3, 4])
  expect(found).toEqual([...new Set(found)].sort((a, b) => a - b))
  for (let file = 1; file < 7; file++) {
    expect(found.filter((n) => Math.floor(n / 1000) === file).length).toBeGreaterThan(10)
  }
  expect(spread.records.at(-1)!.input.name).toBe('g.parquet')
  expect(await sample(folder, 140)).toEqual(spread)
})

test('fewer records than are wanted all come, with their places', async () => {
  const folder = folderOf({ 'a.ndjson': lines(3), 'b.csv': csv(2, 3) })
  const spread = await sample(folder, 100)
  expect(numbersOf(spread)).toEqual([0, 1, 2, 3, 4])
  expect(spread.records.map(({ number }) => number)).toEqual([1, 2, 3, 2, 3])
})

test('of a large file of lines, pieces from all over it are read', async () => {
  const folder = folderOf({ 'a.ndjson': lines(100_000) })
  const spread = await sample(folder, 500, 1_000_000)
  expect(spread.whole).toBe(false)
  expect(spread.bytesRead).toBeLessThan(1_500_000)
  expect(spread.read).toBeLessThan(15_000)
  const found = numbersOf(spread)
  expect(found.slice(0, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(found).toHaveLength(500)
  for (let tenth = 0; tenth < 10; tenth++) {
    const ofTenth = found.filter((n) => Math.floor(n / 10_000) === tenth).length
    expect(ofTenth).toBeGreaterThan(20)
    // A chart by day must not show a peak that is only the sample's.
    expect(ofTenth).toBeLessThan(90)
  }
  // Only at the head is it known how many lines came before.
  expect(spread.records[0]!.number).toBe(1)
  expect(spread.records.at(-1)!.number).toBeUndefined()
  const { offset, bytes } = spread.records.at(-1)!
  const file = await readFile(join(folder, 'a.ndjson'))
  expect(file.toString('utf8', offset, offset + bytes.length)).toBe(bytes.toString())
})

test('of many packed files the heads of some are read, those of every table among them', async () => {
  const files: Record<string, Buffer> = {}
  for (let i = 0; i < 30; i++) files[`pages/part-${i}.ndjson.gz`] = gzipSync(lines(3000, i * 3000))
  files['users/part-0.ndjson.gz'] = gzipSync(lines(5, 1_000_000))
  const spread = await sample(folderOf(files), 400, 1_000_000)
  expect(spread.whole).toBe(false)
  expect(spread.read).toBeLessThan(25_000)
  const found = numbersOf(spread)
  expect(found.filter((n) => n >= 1_000_000)).toHaveLength(5)
  expect(new Set(found.map((n) => Math.floor(n / 3000))).size).toBeGreaterThan(10)
})

test('what its reader refuses is counted, and shown', async () => {
  const folder = folderOf({ 'a.csv': `a,b\n1,2\n3\n4,5\n${'6\n'.repeat(300)}` })
  const spread = await sample(folder, 10)
  expect(spread).toMatchObject({ read: 303, refusedCount: 301, whole: true })
  expect(spread.refused).toHaveLength(200)
  expect(spread.refused[0]).toMatchObject({ number: 3, reason: 'csv_field_count', record: '3' })
})

test('a line of many megabytes takes no piece out of its bounds', async () => {
  const long = `{"n":1,"pad":"${'x'.repeat(20_000_000)}"}\n`
  const folder = folderOf({ 'a.ndjson': `${lines(1)}${long}${lines(2000, 2)}` })
  const spread = await sample(folder, 50, 1_000_000)
  expect(numbersOf(spread)[0]).toBe(0)
  expect(spread.records.every(({ bytes }) => bytes.length < 200)).toBe(true)
})

test('nothing is no sample, and a stopped reading throws', async () => {
  expect(await sample(folderOf({ 'a.ndjson': '' }), 10)).toMatchObject({
    read: 0,
    records: [],
    whole: true,
  })
  const inputs = await listInputs([folderOf({ 'a.ndjson': lines(10) })])
  await expect(
    readSpread(inputs, { records: 1, stop: AbortSignal.abort(new Error('told')) }),
  ).rejects.toThrow('told')
})
