import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { InputFile } from '../../src/inputs/input-file.ts'
import { listInputs } from '../../src/inputs/list.ts'
import type { Preset } from '../../src/mapping/preset.ts'
import { makeEngine } from '../../src/pipeline/engine.ts'
import { buildTables } from '../../src/pipeline/side/build.ts'
import { members } from '../../src/record/json-values.ts'
import { textIn } from '../../src/record/text.ts'
import { MappingApplier } from '../../src/studio/applied-mapping.ts'
import { differingRecords } from '../../src/studio/differing-records.ts'
import { explain } from '../../src/studio/explanation.ts'
import { findByNumber, findByUuid } from '../../src/studio/find-record.ts'
import { recordOf } from '../../src/studio/record-book.ts'
import { tryMapping } from '../../src/studio/trial.ts'
import { type Job, type UnitResult, unitOrder } from '../../src/transform/job.ts'
import { prepare } from '../../src/transform/prepare.ts'
import { RecordMapping } from '../../src/transform/record-mapping.ts'
import { TaskRunner } from '../../src/transform/task-runner.ts'
import { testFolder } from '../helpers/folder.ts'
import { groupByDay } from '../helpers/histories.ts'
import { plain } from '../transform/plain.ts'

/** The preset of the test, whatever name is asked for. */
const used = vi.hoisted(() => ({ preset: undefined as unknown }))

vi.mock('../../src/pipeline/preset-of.ts', async (original) => ({
  ...(await original<object>()),
  presetOf: async () => used.preset,
}))

const USERS: NonNullable<Preset['sideTables']>[number] = {
  name: 'users',
  help: 'for a test',
  on: { id: ['user'] },
  as: 'joined_user',
  several: 'last',
  expected: true,
}

/** Records without ids of their own, so that uuids are made of what is mapped, and as what. */
const alone: Preset = { ...plain, uuid: () => undefined }
const joined: Preset = {
  ...alone,
  sideTables: [USERS],
  fields: { ...plain.fields, 'joined_user.plan': 'plan' },
}
const explode = { member: 'items' }
const withItems = { fields: { ...plain.fields, '(child)': [], items: '*' } }

const visit = (user: string, ...items: object[]) => ({ event: 'Visit', user, anon: `a-${user}`, items })
const view = (user: string, page: string) => ({ event: 'View', user, anon: `a-${user}`, page })
const VIEWS = [
  view('u1', '/'),
  view('u2', '/'),
  view('u1', '/'),
  view('u1', '/a'),
  view('u1', '/'),
  view('u2', '/'),
]
const VISITS = [visit('u1', { n: 1 }, { n: 1 }), visit('u2', { n: 2 }), visit('u1', { n: 1 }, { n: 1 })]

const CASES: ReadonlyArray<readonly [name: string, preset: Preset, records: readonly object[]]> = [
  ['records as they are, with twins', alone, VIEWS],
  ['joined records, with twins', joined, VIEWS],
  ['exploded records, with twins', { ...alone, ...withItems, explode }, VISITS],
  [
    'records that are exploded and joined, with twins',
    { ...joined, explode, fields: { ...joined.fields, ...withItems.fields } },
    VISITS,
  ],
]

async function written(records: readonly object[], preset: Preset) {
  used.preset = preset
  const folder = testFolder()
  // Twins are told apart over all files.
  const half = Math.ceil(records.length / 2)
  const lines = (some: readonly object[]) => some.map((one) => `${JSON.stringify(one)}\n`).join('')
  mkdirSync(join(folder, 'raw'))
  writeFileSync(join(folder, 'raw/1.ndjson'), lines(records.slice(0, half)))
  writeFileSync(join(folder, 'raw/2.ndjson'), lines(records.slice(half)))
  writeFileSync(join(folder, 'users.ndjson'), '{"id":"u1","plan":"pro"}\n{"id":"u2","plan":"free"}\n')
  mkdirSync(join(folder, 'tables'))
  const request = {
    preset: 'plain',
    in: [join(folder, 'raw')],
    out: join(folder, 'events'),
    gzip: false,
    dryRun: false,
    with: [],
    ...(preset.sideTables && { join: [`users=${join(folder, 'users.ndjson')}`] }),
  }
  const prepared = await prepare(request)
  const { signal: stop } = new AbortController()
  const sideTables = await buildTables(prepared.sides, { folder: join(folder, 'tables'), stop })
  const job: Job = { ...prepared.job, sideTables, work: join(folder, 'work') }
  const events = await run(job)
  return { request: { ...request, dryRun: true }, job, stop, events }
}

/** The events that a transform writes, but for those that are generated. */
async function run(job: Job): Promise<string[]> {
  for (const path of [job.work!, job.out]) mkdirSync(path, { recursive: true })
  const runner = new TaskRunner(job, new AbortController().signal)
  const units: UnitResult[] = []
  for (const unit of job.units.keys())
    units.push((await runner.run({ type: 'map', ...unitOrder(job, unit) }, () => {})) as UnitResult)
  for (const [day, segments] of groupByDay(units.flatMap((unit) => unit.segments)))
    await runner.run({ type: 'seal', day, segments, known: [] }, () => {})
  const parts = readdirSync(job.out).filter((name) => /^\d.*\.ndjson$/.test(name))
  return parts.flatMap((part) => readFileSync(join(job.out, part), 'utf8').trimEnd().split('\n')).sort()
}

test.each(CASES)('%s: each reading shows the events that a run writes', async (_, preset, records) => {
  const { request, job, stop, events } = await written(records, preset)
  expect(new Set(events).size).toBe(events.length)
  expect(events.length).toBeGreaterThan(records.length - 1)
  const engine = () => makeEngine(job)

  const differing = await differingRecords(job, { records: events.length, people: undefined, stop })
  const lines = differing.flatMap(({ trace }) => trace?.parts.flatMap(({ event }) => event?.line ?? []) ?? [])
  expect(lines.sort()).toEqual(events)

  const options = { job, stop, progress: () => {} }
  const explained: string[] = []
  for (const input of job.inputs) {
    for (const line of numbersOf(input)) {
      const { found } = await findByNumber(line, { ...options, inputs: [input] })
      const { trace } = await explain(job, await engine(), found!, options)
      for (const { event } of trace.parts) {
        explained.push(event!.line)
        expect(event!.places.find(({ place }) => place === 'uuid')?.value).toBe(JSON.stringify(event!.uuid))
      }
    }
  }
  expect(explained.sort()).toEqual(events)

  for (const event of events) {
    const uuid = textIn(members(event)[0]![1])
    const searching = await engine()
    const all = { ...options, inputs: job.inputs }
    const { found } = await findByUuid(uuid, searching, all)
    const { trace, child } = await explain(job, await engine(), found!, options)
    expect(trace.parts.find((part) => part.child === child)?.event?.line).toBe(event)
  }

  const shown = await studioEvents(request, job.inputs, stop)
  expect(shown.sort()).toEqual(events)

  if (preset.sideTables) return
  const { importId, now, mapping } = job
  const rejected = () => expect.unreachable()
  const library = new RecordMapping({
    ...{ preset, mapping, importId, now, rejected },
    switches: new Set(),
  })
  const kept = records.flatMap((record, n) => library.take(Buffer.from(JSON.stringify(record)), n + 1))
  expect(kept.map(({ line }) => line).sort()).toEqual(events)
})

function numbersOf({ path }: InputFile): number[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  return lines.map((_, index) => index + 1)
}

async function studioEvents(
  request: Parameters<typeof prepare>[0],
  inputs: readonly InputFile[],
  stop: AbortSignal,
): Promise<string[]> {
  const applier = new MappingApplier(request, inputs, { records: 1000, stop })
  try {
    const applied = await applier.apply(undefined)
    return applied.sample.records.flatMap((_, n) =>
      recordOf(applied, n)!.trace!.parts.map(({ event }) => event!.line),
    )
  } finally {
    await applier.close()
  }
}

// A preset may reject what no row was joined to: `init` judges records as a run does.
test('a mapping is tried on records with the rows that are joined to them', async () => {
  const distinctId: Preset['distinctId'] = (record) => record.text('known')
  const preset: Preset = { ...joined, distinctId, fields: { ...joined.fields, 'joined_user.plan': '@known' } }
  const { request, job, stop, events } = await written(VIEWS, preset)
  const users = await listInputs([request.join![0]!.replace('users=', '')])
  const inputs = [...job.inputs, ...users.map((one) => ({ ...one, table: 'users' }))]
  const trial = await tryMapping('preset: mixpanel\n', inputs, { asked: request.in, records: 100, stop })
  expect([trial.events, trial.rejected]).toEqual([events.length, 0])
})
