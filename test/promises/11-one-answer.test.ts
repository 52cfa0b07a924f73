import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { transform } from '../../src/index.ts'
import { listInputs } from '../../src/inputs/list.ts'
import { countOne } from '../../src/record/notes.ts'
import { MappingApplier } from '../../src/studio/applied-mapping.ts'
import { recordOf } from '../../src/studio/record-book.ts'
import type { PartTrace } from '../../src/studio/trace.ts'
import { runCommand } from '../helpers/command.ts'
import { testFolder } from '../helpers/folder.ts'
import { poolsOf } from '../helpers/independence.ts'
import { byDay } from '../helpers/kills.ts'
import { seeded, seedOf, shuffled } from '../helpers/random.ts'
import { fileSandbox } from '../helpers/sandbox-env.ts'

/*
 * Promise 11: one line has one answer, whoever asks. What the whole input decides is not compared: events that several records
 * show together, which of two copies is kept, and the number of a twin.
 */

/** What each way of asking says of a line: the event that it becomes, or why it becomes none. */
type Answers = ReadonlyMap<string, string>

const WORDS = ['NULL', '', 'NaN', 'null', 'None', 'N/A', '2024-03-02 11:00:00']
const CELLS = WORDS.flatMap((paid) => WORDS.slice(0, 4).map((who) => ({ paid, who })))
const ORDERS = CELLS.map(({ paid, who }, n) => `o${n},c${n},order,${paid},2024-02-27 09:10:${10 + n},${who}`)

/** A record that holds a line end can't be given by its line, and one that holds others is more than one event. */
const isOneLine = (record: string) => !/[\r\n]/.test(record)

interface Case {
  readonly name: string
  readonly file: string
  readonly head: readonly string[]
  readonly lines: (seed: number) => readonly string[]
  readonly mapping: object
}

const MAPPED = {
  preset: 'events',
  fields: {
    event: 'name',
    distinct_id: ['who', 'customer'],
    timestamp: ['paid_at', 'created_at'],
    uuid: 'id',
  },
}

const CASES: readonly Case[] = [
  {
    name: 'rows of a table',
    file: 'orders.csv',
    head: ['id,customer,name,paid_at,created_at,who'],
    lines: () => ORDERS,
    mapping: MAPPED,
  },
  ...byDay(['mixpanel', 'amplitude', 'posthog', 'segment'], 2).map((preset) => ({
    name: `records of ${preset}`,
    file: 'records.ndjson',
    head: [],
    lines: (seed: number) => {
      const { records } = poolsOf(preset, seed)[0]!
      return shuffled([...new Set(records.filter(isOneLine))], seeded(seed)).slice(0, 30)
    },
    mapping: { preset },
  })),
]

/** Stands before the reason of a record that is left out on purpose. */
const FILTERED = 'filtered: '

const sandbox = await fileSandbox()

describe.each(CASES)('$name', ({ name, file, head, lines: linesOf, mapping }) => {
  const candidates = linesOf(seedOf(`one answer for ${name}`))
  const folder = mkdtempSync(join(tmpdir(), 'posthaul-answer-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const at = (path: string) => join(folder, path)
  const write = (path: string, some: readonly string[]) =>
    writeFileSync(at(path), [...head, ...some].map((line) => `${line}\n`).join(''))
  const map = at('mapping.json')
  let explained: Answers
  let lines: readonly string[]

  beforeAll(async () => {
    write(file, candidates)
    writeFileSync(map, JSON.stringify(mapping))
    explained = distinct(await explainEach(at(file), map, candidates, head.length))
    lines = [...explained.keys()]
    write(file, lines)
  })

  test('transform and a trial, on one worker and on two, whatever stands before it and in files of its own', async () => {
    mkdirSync(at('apart'))
    for (const [n, line] of lines.entries()) write(`apart/${String(n).padStart(3, '0')}-${file}`, [line])
    write(`backwards-${file}`, [...lines].reverse())
    const expected = [...new Set(explained.values())]
      .filter((answer) => answer.startsWith('{'))
      .map(withoutJob)
    const runs = [
      { input: file, more: ['--workers', '1'] },
      { input: `backwards-${file}`, more: ['--workers', '1'] },
      { input: 'apart', more: ['--workers', '2'] },
      { input: file, more: ['--people', '1000'] },
    ]
    for (const [n, { input, more }] of runs.entries()) {
      const out = at(`events-${n}`)
      const argv = ['transform', '--map', map, '--in', at(input), '--out', out, '--max-reject-ratio', '1']
      const ran = await runCommand([...argv, ...more], { built: true })
      expect([0, 3], ran.stderr).toContain(ran.code)
      const known = new Set(expected)
      const written = eventsIn(out)
      // A trial leaves out what no chosen person did.
      if (!more.includes('--people')) expect(expected.filter((event) => !written.includes(event))).toEqual([])
      // What is more was generated of several records.
      expect(
        written.filter(
          (event) => !known.has(event) && !/"\$(identify|groupidentify|create_alias)"/.test(event),
        ),
      ).toEqual([])
    }
  })

  test('a dry run shows the same events and counts the same reasons', async () => {
    const argv = ['transform', '--dry-run', '--map', map, '--in', at(file), '--json']
    const { stdout } = await runCommand([...argv, '--max-reject-ratio', '1'], { built: true })
    const { preview, rejects, filtered } = JSON.parse(stdout)
    for (const { line, events } of preview.records)
      if (events.length === 1) expect(events[0]).toBe(explained.get(lines[line - 1 - head.length]!))
    expect({ ...rejects, ...filtered }).toEqual(countedReasons(explained))
  })

  test('the library', async () => {
    if (head.length > 0) return
    const rejects: Array<readonly [line: number, reason: string]> = []
    const onReject = ({ line, reason }: { line: number; reason: string }) => rejects.push([line, reason])
    const made = new Set<string>()
    for await (const event of transform(lines, { map: mapping, onReject }))
      if (!event.generated) made.add(event.line)
    const expected = [...explained.values()].filter((answer) => answer.startsWith('{'))
    expect([...made].sort()).toEqual([...new Set(expected)].sort())
    for (const [line, reason] of rejects) expect(explained.get(lines[line - 1]!)).toBe(reason)
  })

  test('the studio', async () => {
    const request = {
      in: [at(file)],
      map,
      with: [],
      gzip: false,
      dryRun: true,
    }
    const { signal: stop } = new AbortController()
    const applier = new MappingApplier(request, await listInputs([at(file)]), { records: 1000, stop })
    try {
      const applied = await applier.apply(undefined)
      const shown = applied.sample.records.flatMap((_, n) => recordOf(applied, n)?.trace?.parts ?? [])
      expect(shown.length).toBeGreaterThan(lines.length / 2)
      const answers = new Set(explained.values())
      for (const part of shown) expect(answers).toContain(answerOf(part))
    } finally {
      await applier.close()
    }
  })

  test('the tests of a mapping file', async () => {
    if (head.length > 0) return
    const tests = lines.filter(isPlain).map((line, n) => ({
      name: `line ${n + 1}`,
      record: JSON.parse(line),
      ...expectedOf(explained.get(line)!),
    }))
    writeFileSync(at('tested.json'), JSON.stringify({ ...mapping, tests }))
    const ran = await runCommand(['test', at('tested.json')])
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    expect(tests.length).toBeGreaterThan(lines.length / 4)
  })
})

test('import --file sends what explain shows', async () => {
  const { lines: linesOf, name } = CASES.find((one) => one.name === 'records of posthog')!
  const lines = linesOf(seedOf(`one answer for ${name}`))
  const folder = testFolder()
  const file = join(folder, 'records.ndjson')
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
  const map = join(folder, 'mapping.json')
  writeFileSync(map, JSON.stringify({ preset: 'posthog' }))
  const explained = await explainEach(file, map, lines, 0)
  const env = { POSTHOG_PROJECT_API_KEY: sandbox.projectKey, POSTHOG_INGEST_HOST: sandbox.url }
  const argv = ['import', '--file', file, '--approved', '--max-events-per-minute', '100000000']
  const ran = await runCommand(argv, { env })
  expect([0, 3], ran.stderr).toContain(ran.code)
  const made = [...explained.values()]
    .filter((answer) => answer.startsWith('{'))
    .map((line) => JSON.parse(line))
  const { results: stored } = await sandbox.query(
    'SELECT toString(uuid), event, distinct_id FROM events LIMIT 1000',
  )
  expect(made.length).toBeGreaterThan(10)
  const uuids = new Set(stored.map(([uuid]) => uuid))
  for (const { uuid, event } of made) expect(uuids, event).toContain(uuid)
  for (const [uuid, event, distinctId] of stored) {
    const one = made.find((each) => each.uuid === uuid)
    expect([one?.event, one?.distinct_id]).toEqual([event, distinctId])
  }
})

/** What `explain` says of each line, each in a run of its own. */
async function explainEach(
  path: string,
  map: string,
  lines: readonly string[],
  head: number,
): Promise<Answers> {
  const answers = new Map<string, string>()
  for (const [n, line] of lines.entries()) {
    const argv = ['explain', path, '--map', map, '--line', String(head + n + 1), '--json']
    const { stdout, stderr } = await runCommand(argv)
    const { parts } = JSON.parse(stdout || expect.unreachable(stderr))
    expect(parts).toHaveLength(1)
    answers.set(line, answerOf(parts[0]))
  }
  return answers
}

/** Without the later ones of records that become the same event: which of them is kept is a matter of the whole input. */
function distinct(answers: Answers): Answers {
  const seen = new Set<string>()
  return new Map(
    [...answers].filter(([, answer]) => {
      if (!answer.startsWith('{')) return true
      const { uuid, event, distinct_id, timestamp } = JSON.parse(answer)
      const identity = JSON.stringify([uuid, event, distinct_id, timestamp])
      return seen.size < seen.add(identity).size
    }),
  )
}

function answerOf({ event, outcome, reason }: Pick<PartTrace, 'event' | 'outcome' | 'reason'>): string {
  return event?.line ?? (outcome === 'filtered' ? FILTERED + reason : String(reason))
}

function eventsIn(out: string): string[] {
  const parts = readdirSync(out).filter((name) => /^\d{4}-.*\.ndjson$/.test(name))
  return parts.flatMap((part) => readFileSync(join(out, part), 'utf8').trimEnd().split('\n').map(withoutJob))
}

function countedReasons(answers: Answers): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const answer of answers.values())
    if (!answer.startsWith('{')) countOne(counts, answer.replace(FILTERED, ''))
  return counts
}

/** A trial's events carry the id of an import of their own. */
function withoutJob(line: string): string {
  return line.replace(/"\$import_job_id":"[^"]*",?/, '')
}

/** A test can hold its record as an object where each name stands once and each number is written as JSON.stringify does. */
function isPlain(line: string): boolean {
  try {
    return JSON.stringify(JSON.parse(line)) === line
  } catch {
    return false
  }
}

function expectedOf(answer: string): object {
  if (answer.startsWith(FILTERED)) return { filtered: true }
  if (!answer.startsWith('{')) return { rejected: answer }
  const { event, distinct_id, timestamp } = JSON.parse(answer)
  return { includes: [{ event, distinct_id, timestamp }] }
}
