import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Ended, signalWhen, startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { eventsOf, type Kind, placeOf, TRIAL } from './kit/migration.ts'

/*
 * A whole migration is killed again and again. In the end datasets, rejects and what the project holds are as after a run
 * that nobody disturbed, and the rejects were told once.
 */
const random = seeded(seedOf('kill run'))
const WANTED = kills({ few: 1, many: 20 })
const STAGES = ['export', 'transform', 'check', 'import', 'verify']
const SETTINGS = ['--state', 'store/state']
const DATASET = 'store/events/2024-03-01_2024-03-04'

const KINDS: readonly (readonly [string, Kind])[] = [
  ['of a trial', { trial: true }],
  ['that was taken back, and is sent anew', { undone: true }],
  ['into a bucket that fails now and then', { inBucket: true }],
  ['into a folder', {}],
]

/** A migration, killed `most` times in each of its parts. */
async function carried(kind: Kind, most: number, folder: string) {
  const place = await placeOf(kind, random, folder)
  const { sandbox, bucket, env } = place
  let killed = 0
  const ends: Ended[] = []
  const runs = async (...argv: string[]) => {
    for (let n = 0; n < most; n++) {
      const stage = STAGES[Math.floor(random() * STAGES.length)]!
      const before = sandbox.stats().requests + bucket.requests
      const after = before + 1 + Math.floor(random() * (kind.inBucket ? 200 : 30))
      const byStage = random() < 0.5
      const files = () => readdirSync(folder, { recursive: true }).length
      const made = files() + 1 + Math.floor(random() * 20)
      const cli = startCli(argv, env, folder)
      const ended = await signalWhen(cli, 'SIGKILL', () =>
        byStage && kind.trial
          ? files() >= made
          : byStage
            ? cli.printed().includes(`03-04: ${stage}\n`)
            : sandbox.stats().requests + bucket.requests >= after,
      )
      if (ended.signal === 'SIGKILL') killed++
      else ends.push(ended)
    }
    ends.push(await runHosted(argv, env, folder))
  }
  const lines = kind.trial ? TRIAL : [['run', 'migration.yaml']]
  for (const argv of lines) await runs(...argv)
  if (kind.undone) {
    await runs('undo', DATASET, ...SETTINGS, '--request', 'Sandbox')
    const headers = { authorization: `Bearer ${sandbox.personalKey}`, 'content-type': 'application/json' }
    for (const deletions of ['approve', 'queue', 'delete'])
      await fetch(`${sandbox.url}/_sandbox`, { method: 'POST', headers, body: JSON.stringify({ deletions }) })
    await runs('undo', DATASET, ...SETTINGS, '--status')
    await runs('run', 'migration.yaml', '--changed', 'resend')
  }
  const again = await runHosted(lines.at(-1)!, env, folder)
  const { results } = await sandbox.query(
    'SELECT uuid, event, distinct_id, toString(timestamp), properties FROM events',
  )
  for (const { code, stderr } of ends) expect(code, stderr).toBeOneOf([0, 3])
  const tells = ends.filter(({ code }) => code === 3).length
  // Unlike `run`, a transform that is asked again tells again.
  const told = kind.trial ? Math.min(tells, 1) : tells
  const end = { again: again.code, told, events: eventsOf(place, kind), held: results.map(String).sort() }
  return { killed, end }
}

test.each(KINDS.slice(-kills({ few: 1, many: 4 })))(
  'a migration %s, under kills, ends as one without',
  async (_, kind) => {
    const folder = testFolder()
    const whole = await carried(kind, 0, folder)
    expect(whole.end).toMatchObject({ again: 0, told: 1 })
    expect(whole.end.held.length).toBeGreaterThan(kind.trial ? 80 : 150)
    for (let killed = 0; killed < WANTED; ) {
      const disturbed = await carried(kind, 1 + Math.floor(random() * 3), folder)
      expect(disturbed.end).toEqual(whole.end)
      killed += disturbed.killed
    }
  },
)
