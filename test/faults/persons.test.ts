import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf, shuffled } from '../helpers/random.ts'
import { S3Server } from '../helpers/s3-server.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { startHarness } from '../sandbox/harness.ts'
import { disturb, pointsAt } from './kit/disturb.ts'
import type { Begin } from './kit/works.ts'

const seed = seedOf('persons')
const PEOPLE = 15
const IN_A_HURRY = ['--approved', '--max-events-per-minute', '1000000', '--batch-events', '20']

/** Events of the people, a second apart. */
function eventsOf(from: number, count: number, browsers: readonly string[]) {
  const random = seeded(from + seed)
  return Array.from({ length: count }, (_, n) => ({
    uuid: `00000000-0000-4000-8000-${(from + n * 1000).toString(16).padStart(12, '0')}`,
    event: 'x',
    distinct_id: `user ${n % PEOPLE}`,
    timestamp: new Date(from + n * 1000).toISOString(),
    properties: { $geoip_disable: true, $browser: browsers[Math.floor(random() * browsers.length)] },
  }))
}

const HISTORY = eventsOf(Date.UTC(2020, 0, 1), 60, ['IE', 'Opera'])
const LIVE = eventsOf(Date.UTC(2026, 0, 1), 30, ['Firefox', 'Safari', 'Chrome'])

async function persons(sandbox: Sandbox): Promise<Map<string, unknown>> {
  const { results } = await sandbox.query(
    'SELECT d.distinct_id, p.properties FROM person_distinct_ids AS d JOIN persons AS p ON p.id = d.person_id',
  )
  return new Map(results.map(([id, properties]) => [String(id), JSON.parse(String(properties))]))
}

/** The persons that the project would have if all events had come in the order of their times. */
async function inOrder(): Promise<Map<string, unknown>> {
  const { sandbox, send } = await startHarness()
  for (const some of [HISTORY, LIVE]) await send(some)
  return persons(sandbox)
}

/** An import into a project that has all of the people. Its state is beside the file, or in a bucket. */
function keeping(place: 'disk' | 'bucket'): Begin {
  return async (folder) => {
    const { sandbox, send } = await startHarness()
    await send(LIVE)
    const path = join(folder, 'events.ndjson')
    writeFileSync(path, HISTORY.map((event) => `${JSON.stringify(event)}\n`).join(''))
    const bucket = place === 'bucket' ? await new S3Server().start() : undefined
    if (bucket) onTestFinished(() => bucket.close())
    const env = { ...sandboxEnv(sandbox), ...bucket?.env }
    const argv = ['--file', path, ...(bucket ? ['--state', bucket.location('state')] : [])]
    const imported = ['import', ...argv, '--keep-persons', 'yes', '--json', ...IN_A_HURRY]
    const own = async () =>
      (await sandbox.query("SELECT uuid FROM events WHERE event = '$set'")).results.flat()
    return {
      argv: imported,
      env,
      async check({ code, stdout, stderr }) {
        expect(code, stderr).toBe(0)
        expect(await persons(sandbox)).toEqual(await inOrder())
        const [sent, summary] = [await own(), JSON.parse(stdout)]
        expect(new Set(sent).size).toBe(PEOPLE)
        expect(summary.persons).toMatchObject({ distinct_ids: PEOPLE })
        await exits(0, runHosted(imported, env))
        expect(await own()).toEqual(sent)
        await exits(0, runHosted(['verify', ...argv], env))
      },
    }
  }
}

/** What an import does to the snapshot's files, to those of its own events, and over the network. */
const POINTS = [
  ['disk', '.persons'],
  ['disk', '.own.ndjson'],
  ['disk', '127.0.0.1'],
  ['bucket', '127.0.0.1'],
] as const
const random = seeded(seed)

test.each(shuffled(POINTS, random).slice(0, kills({ few: 1, many: POINTS.length })))(
  'killed anywhere, with its state on %s (%s), an import goes on and every person is right',
  async (place, match) => {
    const points = await pointsAt(keeping(place), match)
    const [point] = shuffled(points, random)
    await disturb(keeping(place), { match, kill: { ...point!, when: random() < 0.5 ? 'before' : 'after' } })
  },
)
