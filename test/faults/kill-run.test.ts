import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Ended, signalWhen, startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { S3Server, type Strike } from '../helpers/s3-server.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'

/*
 * A whole migration is killed again and again. In the end datasets, rejects and what the project holds are as after a run
 * that nobody disturbed, and the rejects were told once.
 */
const random = seeded(seedOf('kill run'))
const WANTED = kills({ few: 2, many: 20 })
const STAGES = ['export', 'transform', 'check', 'import', 'verify']
const STRIKES: readonly Strike[] = ['error', 'cut', 'lost', 'reset']
const SETTINGS = ['--state', 'store/state']
const DATASET = 'store/events/2024-03-01_2024-03-04'

interface Kind {
  readonly inBucket?: boolean
  /** The events are deleted in between, and sent anew. */
  readonly undone?: boolean
}
const KINDS: readonly (readonly [string, Kind])[] = [
  ['that was taken back, and is sent anew', { undone: true }],
  ['into a bucket that fails now and then', { inBucket: true }],
  ['into a folder', {}],
]

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

async function placeOf({ inBucket }: Kind) {
  const folder = testFolder()
  const sandbox = await testSandbox({ mergeAfterMs: 0 })
  const bucket = await new S3Server({ pageSize: 50 }).start()
  onTestFinished(() => bucket.close())
  bucket.strikes = () => (random() < 0.08 ? STRIKES[Math.floor(random() * STRIKES.length)] : undefined)
  mkdirSync(join(folder, 'days'))
  for (const day of [0, 1, 2]) writeFileSync(join(folder, 'days', `2024-03-0${day + 1}`), recordsOf(day))
  writeFileSync(
    join(folder, 'migration.yaml'),
    `source:
  command: { from: 2024-03-01, to: 2024-03-04, run: 'cat days/$(echo {from} | cut -c1-10)' }
mapping: { preset: mixpanel, workers: 1 }
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

type Place = Awaited<ReturnType<typeof placeOf>>

/** Files of events, by name; a manifest without the time when it was made. */
function eventsOf({ folder, bucket }: Place, { inBucket }: Kind): Record<string, string> {
  const files: Record<string, string> = {}
  for (const [name, { bytes }] of bucket.objects) files[name] = bytes.toString()
  if (!inBucket)
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
      if (statSync(join(folder, path)).isFile()) files[path] = readFileSync(join(folder, path), 'utf8')
  const own = Object.entries(files).filter(([name]) =>
    /^store\/(?:events\/|raw\/.*\/manifest)(?!.*\/\.)/.test(name),
  )
  const plain = (text: string) => text.replaceAll(folder, '').replace(/"created_at": "[^"]*"/, '')
  return Object.fromEntries(own.sort().map(([name, text]) => [name, plain(text)]))
}

/** A migration, killed `most` times in each of its parts. */
async function carried(kind: Kind, most: number) {
  const place = await placeOf(kind)
  const { folder, sandbox, bucket, env } = place
  let killed = 0
  const ends: Ended[] = []
  const runs = async (...argv: string[]) => {
    for (let n = 0; n < most; n++) {
      const stage = STAGES[Math.floor(random() * STAGES.length)]!
      const before = sandbox.stats().requests + bucket.requests
      const after = before + 1 + Math.floor(random() * (kind.inBucket ? 200 : 30))
      const byStage = random() < 0.5
      const cli = startCli(argv, env, folder)
      const ended = await signalWhen(cli, 'SIGKILL', () =>
        byStage
          ? cli.printed().includes(`03-04: ${stage}\n`)
          : sandbox.stats().requests + bucket.requests >= after,
      )
      if (ended.signal === 'SIGKILL') killed++
      else ends.push(ended)
    }
    ends.push(await runHosted(argv, env, folder))
  }
  await runs('run', 'migration.yaml')
  if (kind.undone) {
    await runs('undo', DATASET, ...SETTINGS, '--request', 'Sandbox')
    const headers = { authorization: `Bearer ${sandbox.personalKey}`, 'content-type': 'application/json' }
    for (const deletions of ['approve', 'queue', 'delete'])
      await fetch(`${sandbox.url}/_sandbox`, { method: 'POST', headers, body: JSON.stringify({ deletions }) })
    await runs('undo', DATASET, ...SETTINGS, '--status')
    await runs('run', 'migration.yaml', '--changed', 'resend')
  }
  const again = await runHosted(['run', 'migration.yaml'], env, folder)
  const { results } = await sandbox.query(
    'SELECT uuid, event, distinct_id, toString(timestamp), properties FROM events',
  )
  for (const { code, stderr } of ends) expect(code, stderr).toBeOneOf([0, 3])
  const told = ends.filter(({ code }) => code === 3).length
  const end = { again: again.code, told, events: eventsOf(place, kind), held: results.map(String).sort() }
  return { killed, end }
}

test.each(KINDS.slice(-kills({ few: 1, many: 3 })))(
  'a migration %s, under kills, ends as one without',
  async (_, kind) => {
    const whole = await carried(kind, 0)
    expect(whole.end).toMatchObject({ again: 0, told: 1 })
    expect(whole.end.held.length).toBeGreaterThan(150)
    for (let killed = 0; killed < WANTED; ) {
      const disturbed = await carried(kind, 1 + Math.floor(random() * 3))
      expect(disturbed.end).toEqual(whole.end)
      killed += disturbed.killed
    }
  },
)
