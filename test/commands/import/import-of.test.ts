import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ImportSubject, importOf, planOf } from '../../../src/commands/import/import-of.ts'
import { importLines } from '../../../src/commands/import/text.ts'
import { countLines, noteLines, topNames } from '../../../src/commands/lines.ts'
import { notesJson } from '../../../src/commands/notes-json.ts'
import type { Plan } from '../../../src/delivery/dry-run.ts'
import { type DeliveryOutcome, DeliveryTally } from '../../../src/delivery/outcome.ts'
import { PosthaulError } from '../../../src/errors.ts'
import { listInputs } from '../../../src/inputs/list.ts'
import { conserved } from '../../../src/record/counts.ts'
import { noMends } from '../../../src/record/mend.ts'
import { emptyNotes } from '../../../src/record/notes.ts'
import { FILE_IMPORT_ID } from '../../../src/record/uuid.ts'
import { mendedCommand, verifyArgv, withoutRestart } from '../../../src/text/command-line.ts'
import { posthaulLine } from '../../../src/text/shell-word.ts'
import { testFolder } from '../../helpers/folder.ts'

const counts = { read: 1_234_567, written: 1_234_500, rejected: 60, filtered: 0, duplicate: 0, pending: 7 }

test('the summary prints all five of promise 1 and what they add up to', () => {
  expect(countLines(counts, { rejected: 'bad_json 60' })).toEqual([
    '  read      1,234,567',
    '  written   1,234,500',
    '  rejected         60  bad_json 60',
    '  filtered          0',
    '  duplicate         0',
    '  pending           7',
  ])
})

test('counts that do not add up are called a bug', () => {
  expect(countLines({ ...counts, pending: 8 }).at(-1)).toMatch(/a bug/)
})

test('mends and warnings fit into 80 columns, and names from the data are shown, not obeyed', () => {
  const notes = {
    ...emptyNotes(),
    mends: { ...noMends(), lone_surrogate: 3, huge_number: 1, event_name_cut: 2, id_trimmed: 1 },
    duplicate_keys: 2,
    big_integers: { 'order\u001b[31m id': 5, b: 9 },
    ignored_members: { kafka_offset: 4 },
    unusable: { 'groups.company: properties.company_id is an object': 7 },
  }
  const lines = noteLines(notesJson(notes))
  expect(lines.join('\n')).toMatch(
    /3 unpaired surrogates.*\n.*1 number too large.*\n.*2 event names over 200 bytes.*\n.*1 id with blanks.*\n.*2 repeated keys.*\n.*\n.*kafka_offset 4\n(?:.*\n)*.*7 x groups.company: properties.company_id is an object\n.*b 9, order␛\[31m id 5/,
  )
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
  expect(noteLines(notesJson(emptyNotes()))).toEqual([])
})

test('the commonest names come first, the rest is said to be there', () => {
  expect(topNames({ a: 1, b: 3, c: 2, d: 1, e: 0 })).toBe('b 3, c 2, a 1, …')
  expect(topNames({})).toBe('')
})

test('the command that goes on after a restart does not start over', () => {
  expect(
    posthaulLine(withoutRestart(['import', '--file', 'my events.ndjson', '--restart', '--lanes', '2'])),
  ).toBe("posthaul import --file 'my events.ndjson' --lanes 2")
})

test('what an import sent is verified where its state and its project are', () => {
  const argv = ['import', '--file', 'a.ndjson', '--checkpoint=c.json', '--region', 'eu', '--lanes', '2']
  expect(verifyArgv(['--file', 'a.ndjson'], argv)).toEqual([
    ...['verify', '--file', 'a.ndjson', '--checkpoint=c.json', '--region', 'eu'],
  ])
})

test('the first line of a summary fits into 80 columns', () => {
  const long = { ...subject, input: 'a-file-with-quite-a-long-name-of-events.ndjson' }
  for (const line of importSummary(long, whole, 7_400).split('\n'))
    expect(line.length).toBeLessThanOrEqual(80)
})

test('mended rejects beside the input are no part of it', async () => {
  const folder = testFolder()
  const words = mendedCommand(['import', '--file', folder]).split(' ')
  await writeFile(join(folder, 'z.ndjson'), '{"event":"a"}\n')
  await writeFile(join(folder, words.at(-1)!), '{"event":"a"}\n')
  expect((await listInputs([folder])).map(({ name }) => name)).toEqual(['z.ndjson'])
})

test.each([
  // Mended rejects are not called as what is imported.
  [['import', '--file', 'a/mended.rejects.ndjson'], 'posthaul import --file mended-2.rejects.ndjson'],
  [['import', '--file', 'mended-2.rejects.ndjson'], 'posthaul import --file mended.rejects.ndjson'],
  [['import', '--file', 'a', '--lanes', '2'], 'posthaul import --file mended.rejects.ndjson --lanes 2'],
  [
    ['import', '--lanes=2', '--file=a', '--checkpoint=c'],
    'posthaul import --lanes=2 --file mended.rejects.ndjson',
  ],
  [
    ['import', '--checkpoint', 'c', '--dataset', 'events/', '--restart'],
    'posthaul import --file mended.rejects.ndjson',
  ],
])('%j is repeated for its rejects as %s', (argv, expected) => {
  expect(mendedCommand(argv)).toBe(expected)
})

const subject: ImportSubject = {
  input: 'events/',
  host: 'https://eu.i.posthog.com',
  rejectsPath: 'events.rejects.ndjson',
  maxEvents: 20_000_000,
  kind: 'dataset',
  bytes: 1_400_000,
  argv: ['import', '--dataset', 'events/'],
  isRemote: false,
  perMinute: 10_000,
  verify: 'posthaul verify events/',
}

function importSummary(of: ImportSubject, outcome: DeliveryOutcome, seconds: number) {
  return `${importLines(importOf(of, outcome, { findings: [] }, seconds)).join('\n')}\n`
}

function planSummary(of: ImportSubject, plan: Plan) {
  const unknown: never[] = []
  return `${importLines(planOf({ ...of, host: undefined }, plan, unknown, 1)).join('\n')}\n`
}
const tally = Object.assign(new DeliveryTally(), { reasons: { bad_json: 40, service_refused: 20 } })
/** By Capture V1, which left some without an answer. */
const unsure = { ...counts, unconfirmed: 2 }
const done = { ...counts, written: 1_234_507, pending: 0 }

const whole: DeliveryOutcome = {
  counts,
  deliveredNow: 4_500,
  ownEvents: 0,
  rejectedNow: 0,
  tally,
  rejectsLeft: true,
  tornTail: false,
  arrived: undefined,
  via: 'batch',
  migration: { events: 3_234_507, since: '2024-03-01T10:00:00.000Z' },
  stoppedInTime: false,
  left: { events: 0, bytes: 0 },
  error: undefined,
}
const halfway = { stoppedInTime: true, left: { events: 1_234_567, bytes: 700_000 } }
// Of a dataset all that is left to send is pending.
const halfOfAll = { ...counts, read: 2_469_127, pending: 1_234_567 }
const halfwayInFile = { stoppedInTime: true, left: { events: undefined, bytes: 700_000 } }

test('unconfirmed events are never called acknowledged', () => {
  const text = importSummary(subject, { ...whole, counts: unsure, via: 'v1' }, 10)
  expect(text).toMatch(/ 2\s+unconfirmed/)
  expect(importOf(subject, { ...whole, counts: unsure, via: 'v1' }, { findings: [] }, 10)).toMatchObject({
    counts: { unconfirmed: 2 },
    conserved: true,
  })
  expect(conserved({ ...counts, unconfirmed: counts.written + 1 })).toBe(false)
})

test('the ids by which undo finds the events of files are in the summary; a dataset has its own', () => {
  const file = { ...subject, kind: 'file' as const }
  expect(importOf(file, whole, { findings: [] }, 10).import_ids).toEqual([FILE_IMPORT_ID])
  expect(importOf(subject, whole, { findings: [] }, 10).import_ids).toBeNull()
  expect(importSummary(file, whole, 10)).toContain(`  id        ${FILE_IMPORT_ID}\n`)
  expect(importSummary(subject, whole, 10)).not.toContain('  id  ')
})

test('a finished run, an interrupted one that says what is pending, and ones that stopped in time', async () => {
  const error = new PosthaulError('interrupted', { code: 'interrupted' })
  const texts = [
    importSummary(
      subject,
      { ...whole, counts: done, deliveredNow: 4_507, rejectedNow: 60, tornTail: true },
      7_400,
    ),
    importSummary(subject, { ...whole, counts, error }, 27),
    importSummary(subject, { ...whole, counts: halfOfAll, ...halfway, arrived: false }, 3_300),
    importSummary({ ...subject, kind: 'file' }, { ...whole, counts, ...halfwayInFile }, 3_300),
  ]
  await expect(texts.join('\n')).toMatchFileSnapshot('../../golden/import-summary.txt')
})

const plan: Plan = {
  counts: { ...counts, written: 0, rejected: 0, pending: 1_234_567 },
  events: 1_234_567,
  batches: 1_240,
  mixedDays: false,
  bodyBytes: 1_400_000,
  leastMs: 7_400_000,
  turns: 1,
  answerMs: undefined,
  capped: false,
  filters: {},
  young: 3,
  via: 'batch',
  notes: emptyNotes(),
  reasons: {},
}

test('a plan, and a plan for lines that are no events', async () => {
  const foreign = { ...counts, read: 3_000, written: 0, rejected: 2_994, pending: 6 }
  const texts = [
    planSummary(subject, plan),
    planSummary(subject, { ...plan, events: 20_000, capped: true }),
    planSummary(
      { ...subject, input: 'raw.ndjson', kind: 'file' },
      { ...plan, counts: foreign, events: 6, reasons: { timestamp_missing: 2_994 } },
    ),
  ]
  await expect(texts.join('\n')).toMatchFileSnapshot('../../golden/import-plan.txt')
})
