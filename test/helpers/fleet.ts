import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { makePlan, plannedPeople } from '../../src/jobs/fleet/make-plan.ts'
import { buildTables, tableNotGiven } from '../../src/pipeline/side/build.ts'
import { tablesSource } from '../../src/pipeline/side/built.ts'
import { STAGES, type Stage } from '../../src/text/fleet-stages.ts'
import { fleetStore, type KnownPlan, LISTED, writePlan } from '../../src/transform/fleet/plan-file.ts'
import { type RunRequest, runTask } from '../../src/transform/fleet/run-task.ts'
import { prepare, type TransformRequest } from '../../src/transform/prepare.ts'
import { VERSION } from '../../src/version.ts'
import { makeFolder } from './folder.ts'
import { seeded } from './random.ts'

const FIRST = Date.UTC(2023, 0, 30) / 1000

/**
 * Writes a Mixpanel history: plain files that are cut into several units, and packed ones; users known by two ids, groups
 * that change, records twice, without an id, and broken ones.
 */
export function writeHistory(
  folder: string,
  seed: number,
  { files = 6, records = 300, padding = 0 } = {},
): void {
  const random = seeded(seed)
  const pick = (most: number) => Math.floor(random() * most)
  mkdirSync(folder, { recursive: true })
  for (let file = 0; file < files; file++) {
    const lines: string[] = []
    for (let n = 0; n < records; n++) {
      const user = pick(60)
      const [company, team] = [pick(9), pick(4)]
      const properties = {
        time: FIRST + pick(20 * 86_400),
        distinct_id: random() < 0.5 ? `user-${user}` : `$device:device-${user}`,
        ...(random() < 0.7 && { $device_id: `device-${user}`, $user_id: `user-${user}` }),
        ...(random() < 0.9 && { $insert_id: `insert-${pick(files * records)}` }),
        company: `company-${company}`,
        note: 'x'.repeat(padding),
        plan: ['free', 'team', 'größer'][team % 3],
      }
      lines.push(JSON.stringify({ event: `Event ${pick(12)}`, properties }))
      if (random() < 0.02) lines.push('{"event": "torn", "properties": {')
      if (random() < 0.05) lines.push(lines.at(-1)!)
    }
    const text = `${lines.join('\n')}\n`
    const name = `part-${String(file).padStart(2, '0')}.ndjson`
    if (file % 3 === 2) writeFileSync(join(folder, `${name}.gz`), gzipSync(text))
    else writeFileSync(join(folder, name), text)
  }
}

/** Writes Segment calls of people and groups: the properties of groups change in one file and come back in another. */
export function writeCalls(folder: string, seed: number): void {
  const random = seeded(seed)
  const pick = (most: number) => Math.floor(random() * most)
  mkdirSync(folder, { recursive: true })
  for (let file = 0; file < 5; file++) {
    const lines = Array.from({ length: 200 }, (_, n) => {
      const call = {
        messageId: `message-${file}-${n}`,
        timestamp: new Date((FIRST + pick(9 * 86_400)) * 1000).toISOString(),
        anonymousId: `visitor-${pick(80)}`,
        userId: `user-${pick(40)}`,
      }
      if (n % 4 > 0)
        return JSON.stringify({ ...call, type: 'track', event: `Event ${pick(5)}`, properties: {} })
      const traits = { seats: pick(3), name: `Company ${pick(2)}` }
      return JSON.stringify({ ...call, type: 'group', groupId: `group-${pick(12)}`, traits })
    })
    writeFileSync(join(folder, `calls-${file}.ndjson`), `${lines.join('\n')}\n`)
  }
}

/** A transform's request with what the command line gives when it is not asked. */
export function fleetRequest(
  more: Pick<TransformRequest, 'in' | 'out'> & Partial<TransformRequest>,
): TransformRequest {
  return {
    preset: 'mixpanel',
    gzip: false,
    dryRun: false,
    groupEventName: '$groupidentify',
    with: [],
    ...more,
  }
}

/** Plans a fleet without the command line, which would try a sample first. */
export async function planFleet(request: TransformRequest, tasks: number): Promise<KnownPlan> {
  const prepared = await prepare(request)
  const people = await plannedPeople(prepared.job)
  const given = prepared.sides.filter(({ table }) => !table.ofRecords)
  const stop = new AbortController().signal
  const built = await buildTables(given, { folder: makeFolder(), columns: prepared.job.columns, stop })
  const sideTables = prepared.sides.map(
    ({ table }) => built.find(({ name }) => name === table.name) ?? tableNotGiven(table),
  )
  const source = { ...prepared.source, ...tablesSource(sideTables) }
  const joined = { ...prepared, job: { ...prepared.job, sideTables } }
  const known = makePlan(joined, { tasks, tool: `posthaul ${VERSION}`, source, people })
  const store = await fleetStore(request.out!)
  if (people) await store.put(LISTED, people.listed)
  await writePlan(store, known)
  return known
}

export function taskRequest(
  out: string,
  stage: Stage,
  index: number,
  more: Partial<RunRequest> = {},
): RunRequest {
  return {
    out,
    stage,
    index,
    work: more.work ?? '',
    interrupted: new AbortController().signal,
    hashKey: async () => undefined,
    begun: () => {},
    progress: () => {},
    ...more,
  }
}

/** Runs all tasks of all stages, one after the other. */
export async function runAll(out: string, tasks: number, more: Partial<RunRequest>): Promise<void> {
  for (const stage of STAGES) {
    for (let index = 0; index < tasks; index++) await runTask(taskRequest(out, stage, index, more))
  }
}

/** Every file of a dataset by name: packed parts as they are unpacked, the manifest without its time and sums of packed parts. */
export function datasetIn(folder: string): Record<string, string> {
  const files: Record<string, string> = {}
  for (const name of readdirSync(folder).sort()) {
    if (name.startsWith('.')) continue
    const bytes = readFileSync(join(folder, name))
    if (name === 'manifest.json') files[name] = manifestText(bytes.toString('utf8'))
    else files[name] = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1')
  }
  return files
}

function manifestText(text: string): string {
  const { created_at: _, parts, ...rest } = JSON.parse(text)
  const plain = parts.map(({ bytes, sha256, ...part }: { bytes: number; sha256: string; file: string }) =>
    part.file.endsWith('.gz') ? part : { bytes, sha256, ...part },
  )
  return JSON.stringify({ ...rest, parts: plain }, null, 2)
}
