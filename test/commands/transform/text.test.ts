import { expect, test } from 'vitest'
import { lines } from '../../../src/commands/transform/run.ts'
import { transformOf } from '../../../src/commands/transform/transform-of.ts'
import { zeroCounts } from '../../../src/record/counts.ts'
import { emptyInventory } from '../../../src/record/inventory.ts'
import { emptyNotes } from '../../../src/record/notes.ts'

const result = {
  counts: { ...zeroCounts(), read: 10_000, written: 10_000, earlier: 0, generated: 0 },
  records: null,
  rejects: {},
  filtered: {},
  joined: [],
  notes: emptyNotes(),
  inventory: emptyInventory(),
  idle: null,
  unhashed: null,
  duplicates: { count: 0, unlike: 0, estimated: false },
  twins: 0,
  late: 0,
  days: 3,
  parts: 3,
  error: undefined,
}
const foreignClock = { offsets: ['-05:00', '-04:00'], records: 9_876, of: 10_000 }
const summary = {
  result,
  argv: ['transform'],
  dryRun: false,
  sample: null,
  foreignClock: foreignClock as typeof foreignClock | undefined,
  idleRules: [] as readonly string[],
  inputFiles: [] as readonly object[],
  forgets: false,
}

function resultFrom({ sample, foreignClock, idleRules, inputFiles, forgets, ...of }: Facts) {
  const mapping = { sourceTimezone: undefined, filter: undefined }
  const job = { after: [], mapping, forget: forgets ? {} : undefined }
  const tried = { spread: sample, foreignClock, idleRules }
  const ended = { result: of.result, tried, shown: [], prepared: { job, remarks: inputFiles } }
  const values = { out: 'events/', dryRun: of.dryRun }
  return transformOf(ended as never, values as never, { argv: of.argv, seconds: 1.25 })
}

type Facts = Omit<typeof summary, 'result' | 'sample'> & {
  readonly result: object
  readonly sample: object | null
}

const transformSummary = (facts: Facts) => `${lines(resultFrom(facts)).join('\n')}\n`

test('a clock that is not UTC is told of, in lines that fit a terminal', () => {
  const text = transformSummary(summary)
  expect(text).toContain('9,876 of 10,000 times come from a clock at UTC-05:00 or UTC-04:00')
  expect(text).toContain('--source-timezone')
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  expect(resultFrom(summary).foreign_clock).toEqual(foreignClock)
})

test('a list of people that matches nobody is told', () => {
  expect(transformSummary({ ...summary, forgets: true })).toContain('forget: matches nobody')
  const found = { ...summary, forgets: true, result: { ...result, filtered: { forgotten: 2 } } }
  expect(transformSummary(found)).not.toContain('matches nobody')
})

test.each([
  [0, ''],
  [1, '1 record equals another in every member and is kept'],
  [9, '9 records equal another in every member and are kept'],
])('%i records that are alike are told', (twins, said) => {
  const text = transformSummary({ ...summary, result: { ...result, twins } }).replaceAll(/\s+/g, ' ')
  expect(text).toContain(said)
  expect(text.includes('twins')).toBe(twins > 0)
})

test('duplicates that differ from what is kept are told, and copies are not', () => {
  const of = (unlike: number) =>
    transformSummary({
      ...summary,
      result: { ...result, duplicates: { count: 5, unlike, estimated: false } },
    })
  expect(of(2).replaceAll(/\s+/g, ' ')).toContain(
    'unlike 2 of the duplicates differ from the event that is kept',
  )
  expect(of(0)).not.toContain('differ from')
})

test('no duplicates are no exception of what a dry run would write', () => {
  const counts = { ...result.counts, written: 0, pending: 10_000 }
  const tried = { ...result, counts, duplicates: { count: 0, unlike: 0, estimated: true } }
  expect(transformSummary({ ...summary, dryRun: true, result: tried })).toMatch(
    /10,000 {2}would be written\n/,
  )
})

test('what a dry run of a sample would write leaves duplicates of the rest out', () => {
  const sample = { records: 10, whole: false, files: 1, filesRead: 1, bytes: 100, bytesRead: 10 }
  const counts = { ...result.counts, written: 0, pending: 10_000 }
  const text = transformSummary({ ...summary, sample, dryRun: true, result: { ...result, counts } })
  expect(text).toContain('would be written, except duplicates of others')
})

test('what manifests leave out is said with names and the reason; what may be a loss is a warning', () => {
  const names = [
    'sync_1/a/part-0.avro',
    'sync_1/a/part-1.avro',
    'sync_1/a/part-2.avro',
    'sync_1/a/part-3.avro',
  ]
  const inputFiles = [
    { what: 'stale', vendor: 'Heap', names },
    { what: 'never_whole', vendor: 'Heap', names: ['order'] },
  ] as const
  const text = transformSummary({ ...summary, inputFiles }).replace(/\n {12}/g, ' ')
  expect(text).toContain(`  files     4 files of Heap (${names[0]}, …) left out: a later`)
  expect(text).toContain('  warning   1 table of Heap (order) came as additions only: no manifest')
  expect(resultFrom({ ...summary, inputFiles }).input_files).toEqual([
    { what: 'stale', vendor: 'Heap', count: 4, names },
    { what: 'never_whole', vendor: 'Heap', count: 1, names: ['order'] },
  ])
})

test('a run with everything there is to say', async () => {
  const full = {
    ...summary,
    argv: ['transform', '--preset', 'mixpanel', '--in', 'raw/', '--out', 'events/'],
    foreignClock: undefined,
    idleRules: ['events.drop "hartbeat"', 'groups.company "properties.ORG"'],
    result: {
      ...result,
      counts: {
        read: 3_000,
        written: 2_978,
        rejected: 11,
        filtered: 10,
        duplicate: 1,
        pending: 0,
        earlier: 0,
        generated: 81,
      },
      rejects: {
        timestamp_missing: 5,
        distinct_id_missing: 3,
        bad_json: 1,
        event_missing: 1,
        'odd\x1b[A': 1,
      },
      filtered: { session_event: 10 },
      notes: { ...emptyNotes(), big_integers: { order: 1, 'account\x1b[2J': 2 } },
      inventory: {
        ...emptyInventory(),
        members: {
          'properties.token': { 'left out: preset': 2_978 },
          'properties.plan': { kept: 2_000, 'left out: empty': 978 },
          'properties.secret': { 'left out: properties.drop': 2_978 },
        },
      },
    },
  }
  await expect(transformSummary(full)).toMatchFileSnapshot('../../golden/transform-summary.txt')
  await expect(transformSummary({ ...full, dryRun: true })).toMatchFileSnapshot(
    '../../golden/transform-dry-run.txt',
  )
})

test('a sample says its size and how far it is spread, and goes from the next command', () => {
  const sample = { records: 1000, whole: false, files: 3, filesRead: 3, bytes: 2000, bytesRead: 240 }
  const dry = {
    ...summary,
    dryRun: true,
    sample,
    argv: ['transform', '--sample', '1000', '--dry-run', '--in', 'x'],
  }
  const text = transformSummary(dry)
  expect(text).toContain('a sample of 1,000 records, spread over 3 files, 12% of the bytes\n')
  expect(text).toContain('next: posthaul transform --in x\n')
  expect(resultFrom(dry).sample).toMatchObject({ records: 1000, files_read: 3, bytes_read: 240 })
  expect(transformSummary({ ...dry, sample: { ...sample, filesRead: 2 } })).toContain('over 2 of 3 files')
  const all = { ...dry, sample: { ...sample, records: 1, files: 1, filesRead: 1, whole: true } }
  expect(transformSummary(all)).toContain('all 1 record of 1 file: the input has no more')
})
