import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { readHead } from '../../src/record/head.ts'
import type { Reject } from '../../src/record/reject.ts'
import { dayOf, dayText, formatInstant } from '../../src/record/time.ts'
import { type EventsManifest, manifestSchema } from '../../src/store/manifest.ts'
import { hashText } from '../../src/text/city-hash.ts'
import type { Outcomes } from '../../src/transform/outcomes.ts'

/** A finished dataset, read back whole. */
export interface ReadDataset {
  readonly manifest: EventsManifest
  /** Event lines in the order of the parts. */
  readonly lines: readonly string[]
  readonly rejects: readonly Reject[]
}

/** Reads a dataset and compares it with its manifest: every count, sum, day, time and byte. No other file may be there. */
export function readSoundDataset(folder: string): ReadDataset {
  const manifest = manifestSchema.parse(
    JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')),
  ) as EventsManifest
  const { records, events, parts } = manifest

  const rejectsPath = join(folder, 'rejects.ndjson')
  const rejects = existsSync(rejectsPath)
    ? linesOf(readFileSync(rejectsPath)).map((line) => JSON.parse(line))
    : []
  expectTally(tallyOf(rejects.map(({ reason }: Reject) => reason)), manifest.rejects)
  expect(rejects.length).toBe(records.rejected)

  const names: Record<string, string[]> = {}
  const lines = parts.flatMap((part) => {
    const bytes = readFileSync(join(folder, part.file))
    expect([bytes.length, sha256(bytes)]).toEqual([part.bytes, part.sha256])
    const found = linesOf(part.file.endsWith('.gz') ? gunzipSync(bytes) : bytes)
    const heads = found.map(headOf)
    expect(heads.length).toBe(part.events)
    expect([heads[0]!.timestamp, heads.at(-1)!.timestamp]).toEqual([part.first, part.last])
    expect([...new Set(heads.map(({ timestamp }) => timestamp.slice(0, 10)))]).toEqual([part.day])
    names[part.day] = (names[part.day] ?? []).concat(heads.map(({ event }) => event))
    return found
  })
  expect(Object.keys(names)).toEqual(Object.keys(manifest.days))
  for (const [day, count] of Object.entries(manifest.days)) expect(names[day]).toHaveLength(count)
  expectTally(tallyOf(Object.values(names).flat()), manifest.names)
  expect(lines.length).toBe(events.written)
  expectArrival(folder, manifest, lines)
  expectLinks(folder, manifest)
  if (!manifest.trial) expectOutcomes(folder, manifest)

  const expected = [
    'arrival.ndjson',
    ...(manifest.links ? ['links.ndjson'] : []),
    'manifest.json',
    ...(manifest.trial ? [] : ['outcomes.json']),
    ...parts.map(({ file }) => file),
    ...(rejects.length > 0 ? ['rejects.ndjson'] : []),
  ]
  expect(readdirSync(folder).sort(), 'nothing is left over').toEqual(expected.sort())
  return { manifest, lines, rejects }
}

/** Each day is conserved, and all days and names together are what the manifest counts. */
function expectOutcomes(folder: string, { records, children, events, arrival, days }: EventsManifest): void {
  const told = JSON.parse(readFileSync(join(folder, 'outcomes.json'), 'utf8')) as Outcomes
  for (const { read, mapped, rejected, filtered } of told.days)
    expect(mapped + rejected + filtered).toBe(read)
  for (const { read, made, rejected, filtered } of told.names) expect(made + rejected + filtered).toBe(read)
  const sums = <Row>(rows: readonly Row[], ...columns: (keyof Row)[]) =>
    columns.map((column) => rows.reduce((sum, row) => sum + Number(row[column]), 0))
  const made = events.made - events.generated - events.rejected
  expect(told.arrival).toBe(arrival.sha256)
  expect(sums(told.days, 'read', 'mapped', 'rejected', 'filtered', 'made')).toEqual([
    ...[records.read, records.mapped, records.rejected, records.filtered, made],
  ])
  const names = [...told.names, ...(told.other_names ? [told.other_names] : [])]
  const items = children ? children.read + records.rejected + records.filtered : records.read
  expect(sums(names, 'read', 'made')).toEqual([items, made])
  expect(sums(told.events, 'written', 'duplicate', 'earlier')).toEqual([
    ...[events.written, events.duplicate, events.earlier ?? 0],
  ])
  expect(
    Object.fromEntries(
      told.events.filter(({ written }) => written > 0).map(({ day, written }) => [day, written]),
    ),
  ).toEqual(days)
  expect(sums(told.duplicates, 'count')[0]! + told.other_duplicates).toBe(events.duplicate)
}

function expectLinks(folder: string, { links }: EventsManifest): void {
  if (!links) return
  const bytes = readFileSync(join(folder, 'links.ndjson'))
  const lines = linesOf(bytes).length
  expect(links).toEqual({ file: 'links.ndjson', bytes: bytes.length, sha256: sha256(bytes), lines })
}

/** Computes every fingerprint again, with big integers, from the lines. */
function expectArrival(
  folder: string,
  { arrival, rules, import_ids }: EventsManifest,
  lines: readonly string[],
): void {
  const bytes = readFileSync(join(folder, 'arrival.ndjson'))
  const [header, ...found] = linesOf(bytes).map((line) => JSON.parse(line))
  expect(header).toEqual({ version: 1, rules, import_ids })
  expect(arrival).toEqual({
    file: 'arrival.ndjson',
    bytes: bytes.length,
    sha256: sha256(bytes),
    lines: found.length + 1,
  })
  const cells = new Map<string, { day: string; event: string; prints: bigint[][] }>()
  for (const line of lines) {
    const sent: SentLine = JSON.parse(line)
    const { timestamp, event } = sent
    const day = timestamp.slice(0, 10)
    const key = JSON.stringify([day, event])
    if (!cells.has(key)) cells.set(key, { day, event, prints: [] })
    cells.get(key)!.prints.push(printsOf(sent))
  }
  const expected = [...cells.values()]
    .sort((a, b) => (a.day === b.day ? (a.event < b.event ? -1 : 1) : a.day < b.day ? -1 : 1))
    .map(({ day, event, prints }) => ({ day, event, count: prints.length, ...summed(prints) }))
  expect(found).toEqual(expected)
}

interface SentLine {
  readonly uuid: string
  readonly timestamp: string
  readonly event: string
  readonly distinct_id: string
}

/** The three prints of an event, as the docstring of Fingerprint says them. */
function printsOf({ uuid, timestamp, event, distinct_id: id }: SentLine): bigint[] {
  const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex')
  const [one, other] = [bytes.readBigUInt64LE(0), bytes.readBigUInt64LE(8)]
  const timeless = numberHash(numberHash(one + textHash(id)) + other + textHash(event))
  const micros = BigInt(Date.parse(timestamp)) * 1000n + BigInt(timestamp.slice(23, 26))
  return [numberHash(timeless + micros), timeless, numberHash(timeless + micros / 1000n)]
}

function summed(prints: readonly bigint[][]): { xor: string[]; sum: string[] } {
  const over = (reduce: (a: bigint, b: bigint) => bigint) =>
    [0, 1, 2].map((print) => String(prints.map((own) => own[print]!).reduce(reduce, 0n)))
  return { xor: over((a, b) => a ^ b), sum: over((a, b) => BigInt.asUintN(64, a + b)) }
}

/** ClickHouse's hash of a number. */
function numberHash(number: bigint): bigint {
  const wrapped = (value: bigint) => BigInt.asUintN(64, value)
  const folded = (value: bigint) => value ^ (value >> 33n)
  const one = wrapped(folded(wrapped(number) ^ 0x4cf2d2baae6da887n) * 0xff51afd7ed558ccdn)
  return folded(wrapped(folded(one) * 0xc4ceb9fe1a85ec53n))
}

const hash = new Int32Array(2)

/** Of a text, as test/text/city-hash.test.ts holds against ClickHouse. */
function textHash(text: string): bigint {
  const bytes = Buffer.from(text)
  hashText(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length, hash, 0)
  return new BigUint64Array(hash.slice().buffer)[0]!
}

/** Time, name and id of an event line, as its head has them and as its JSON does. */
function headOf(line: string): { timestamp: string; event: string; distinct_id: string } {
  const bytes = Buffer.from(line)
  const head = readHead(bytes, 0, bytes.length)
  const parsed = JSON.parse(line)
  // One assertion for each line would be slow: there are many lines.
  const isSound =
    head !== undefined &&
    formatInstant(head.instant) === parsed.timestamp &&
    dayText(dayOf(head.instant)) === parsed.timestamp.slice(0, 10) &&
    parsed.distinct_id === parsed.properties.distinct_id
  if (!isSound) throw new Error(`no event line: ${line}`)
  return parsed
}

function linesOf(bytes: Buffer): string[] {
  const text = bytes.toString('utf8')
  expect(text.endsWith('\n')).toBe(true)
  return text.slice(0, -1).split('\n')
}

function tallyOf(words: readonly string[]): Map<string, number> {
  const tally = new Map<string, number>()
  for (const word of words) tally.set(word, (tally.get(word) ?? 0) + 1)
  return tally
}

// Made from entries, because a name can be `__proto__`.
function expectTally(found: ReadonlyMap<string, number>, said: Readonly<Record<string, number>>): void {
  expect([...found].sort()).toEqual(Object.entries(said).sort())
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
