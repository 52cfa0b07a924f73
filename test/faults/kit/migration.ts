import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { S3Server, type Strike } from '../../helpers/s3-server.ts'
import { sandboxEnv, testSandbox } from '../../helpers/sandbox-env.ts'
import { started } from '../../helpers/started.ts'

const STRIKES: readonly Strike[] = ['error', 'cut', 'lost', 'reset']

export interface Kind {
  readonly inBucket?: boolean
  /** The events are deleted in between, and sent anew. */
  readonly undone?: boolean
  /** Some of the people only, command by command: a trial is nothing that `run` does. */
  readonly trial?: boolean
}

/** How the days are read, as a shell does. */
const DAYS = ['--from', '2024-03-01', '--to', '2024-03-04', '--run', 'cat days/$(echo {from} | cut -c1-10)']
export const TRIAL = [
  ['export', 'command', ...DAYS, '--out', 'store/raw/trial'],
  'transform --in store/raw/trial --map mapping.yaml --people 4 --out store/events/trial'.split(' '),
  'import --dataset store/events/trial --trial Sandbox --state store/state --batch-events 20'.split(' '),
  'verify store/events/trial --state store/state --wait 5s'.split(' '),
]

/** Its test is run before anything is written. */
const MAPPING = `preset: mixpanel
events: { rename: { Plan Chosen: plan_chosen } }
tests:
  - name: a choice of a plan has a name of the new house
    record: '{"event":"Plan Chosen","properties":{"time":1709251200,"distinct_id":"u1","$insert_id":"0-0","n":0}}'
    includes: [{ event: plan_chosen, distinct_id: u1, properties: { n: 0 } }]
`

/** The records of a day: some have no name, or come twice. */
function recordsOf(day: number): string {
  const lines = Array.from({ length: 60 }, (_, n) => {
    const properties = { time: 1_709_251_200 + day * 86_400 + n * 60, distinct_id: `u${n % 7}`, n }
    return JSON.stringify({
      event: n % 25 === 7 ? '' : 'Plan Chosen',
      properties: { ...properties, $insert_id: `${day}-${n}` },
    })
  })
  return `${[...lines, lines[3]].join('\n')}\n`
}

/**
 * A migration of three days in a folder, whatever was there before, its sandbox, and a bucket that fails now and then. The id
 * of an import tells where its migration is: those that are compared share a folder.
 */
export async function placeOf({ inBucket }: Kind, random: () => number, folder: string) {
  const sandbox = await testSandbox({ mergeAfterMs: 0 })
  const bucket = await started(new S3Server({ pageSize: 50 }))
  bucket.strikes = () => (random() < 0.08 ? STRIKES[Math.floor(random() * STRIKES.length)] : undefined)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'days'), { recursive: true })
  for (const day of [0, 1, 2]) writeFileSync(join(folder, 'days', `2024-03-0${day + 1}`), recordsOf(day))
  writeFileSync(join(folder, 'mapping.yaml'), MAPPING)
  writeFileSync(
    join(folder, 'migration.yaml'),
    `source:
  command: { from: 2024-03-01, to: 2024-03-04, run: 'cat days/$(echo {from} | cut -c1-10)' }
mapping: { preset: mixpanel, file: mapping.yaml, workers: 1 }
store: ${inBucket ? 's3://bucket/store' : 'store'}
target: { host: "${sandbox.url}", project_id: ${sandbox.projectId} }
import: { batch_events: 20, arrival_wait: 0s }
verify: { wait: 5s }
`,
  )
  const home = { HOME: folder, XDG_STATE_HOME: join(folder, 'home') }
  const env = { PATH: process.env.PATH!, SHELL: '/bin/sh', ...sandboxEnv(sandbox), ...bucket.env, ...home }
  return { folder, sandbox, bucket, env }
}

export type Place = Awaited<ReturnType<typeof placeOf>>

/** Files of events, by name; a manifest without the time when it was made. */
export function eventsOf({ folder, bucket }: Place, { inBucket }: Kind): Record<string, string> {
  const files: Record<string, string> = {}
  for (const [name, { bytes }] of bucket.objects) files[name] = bytes.toString()
  if (!inBucket)
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
      if (statSync(join(folder, path)).isFile()) files[path] = readFileSync(join(folder, path), 'utf8')
  const own = Object.entries(files).filter(([name]) =>
    /^store\/(?:events\/|raw\/.*\/manifest)(?!.*\/\.)/.test(name),
  )
  const plain = (text: string) => text.replace(/"created_at": "[^"]*"/, '')
  return Object.fromEntries(own.sort().map(([name, text]) => [name, plain(text)]))
}
