import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { BENCH } from '../paths.ts'
import { machine } from '../report.ts'
import { Bucket } from './bucket.ts'
import { type Contender, fleetTables } from './fleet-rows.ts'
import { measureFleet, measureFolder, measureLocal, type StageSample } from './measured.ts'
import { passCost } from './passes.ts'

const VENDOR = 'mixpanel'

/** Measures a fleet against a local transform of the same input; a full run writes results-fleet.md. */
export async function benchFleet(bench: Bench, commit: string): Promise<string> {
  const { name, rounds, transform: events } = bench.plan
  const input = await bench.input(VENDOR, events)
  bench.say('a day in passes')
  const pass = await passCost(bench, Math.ceil(events / 2), rounds)
  const bucket = await Bucket.start()
  const contenders = [...contendersOf(bench, bucket), inFolders(bench, bucket, input)]
  let tables = ''
  try {
    await bucket.put('raw/events.ndjson', input)
    // In turn, A B A B …: if the machine gets slower, it does so for all. A round takes long, so each is written down.
    for (let round = 0; round < rounds; round++) {
      for (const one of contenders) one.runs.push(await one.run())
      tables = fleetTables(contenders, events, pass)
      if (name === 'full') {
        const page = [heading(events, round + 1, commit), tables].join('\n')
        await writeFile(join(BENCH, 'results-fleet.md'), page)
      }
    }
  } finally {
    await bucket.close()
  }
  return tables
}

interface Running extends Contender {
  readonly runs: (readonly StageSample[])[]
  readonly run: () => Promise<readonly StageSample[]>
}

/** The local transform, and a fleet for each number of tasks. What they make is compared. */
function contendersOf(bench: Bench, bucket: Bucket): Running[] {
  let wanted: string | undefined
  const one = (name: string, out: string, run: () => Promise<StageSample[]>): Running => ({
    name,
    runs: [],
    run: async () => {
      bench.say(name)
      const samples = await run()
      const parts = partsOf(await bucket.text(`${out}/manifest.json`))
      wanted ??= parts
      if (parts !== wanted) throw new Error(`${name} made other parts than the one before`)
      await bucket.clear(out)
      return samples
    },
  })
  return [
    one('local transform', 'local', () => measureLocal(bench, bucket, VENDOR)),
    ...bench.plan.tasks.map((tasks) =>
      one(`fleet of ${tasks}`, `fleet-${tasks}`, () => measureFleet(bench, bucket, VENDOR, tasks)),
    ),
  ]
}

/** What the bucket itself costs is the difference to the local transform. */
function inFolders(bench: Bench, bucket: Bucket, input: string): Running {
  const name = 'local transform, in folders'
  const run = () => {
    bench.say(name)
    return measureFolder(bench, bucket, VENDOR, input)
  }
  return { name, runs: [], run }
}

/** Names, sizes and digests of a dataset's parts. */
function partsOf(manifest: string): string {
  const { parts } = JSON.parse(manifest) as { readonly parts: unknown }
  return JSON.stringify(parts)
}

function heading(events: number, rounds: number, commit: string): string {
  const { date, machine: where, versions } = machine(commit)
  return [
    '# What a fleet costs',
    '',
    `Written by \`npm run bench -- --fleet\` on ${date}, at ${commit}. Not edited by hand.`,
    '',
    `- Machine: ${where}; node ${versions.node}`,
    '- Processor time is that of all processes, user and system: on a machine that others use, a clock says less.',
    `- ${events.toLocaleString('en')} ${VENDOR} events, from a bucket into a bucket: s3rver, on the same machine, not counted.`,
    `- Runs of each: ${rounds}, in turn; medians, and ratios of the runs of one round. Tasks run one after the other.`,
    '- The parts of every fleet are those of the local transform, by their SHA-256.',
    '',
  ].join('\n')
}
