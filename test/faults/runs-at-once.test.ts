import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Ended, signalWhen, startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { FastClock } from './kit/clock.ts'
import { eventsOf, type Kind, placeOf } from './kit/migration.ts'

/*
 * Several runs of one migration begin at random instants, as two lines of a crontab or two machines do, and every third is
 * killed. In the end all is as after one run alone, and the rejects were told once.
 */
const random = seeded(seedOf('runs at once'))
const ROUNDS = kills({ few: 1, many: 15 })
const RUN = ['run', 'migration.yaml']
/** So that what a dead run of another machine holds is soon free. On a loaded machine a run may find that the service is slow, and pause. */
const SPEED = 10

/** The migration by runs on these machines, and once more when all of them have ended. */
async function carried(kind: Kind, machines: readonly string[], folder: string) {
  const place = await placeOf(kind, random, folder)
  const { sandbox, bucket, env } = place
  const clocks = new Map(['one', 'two', 'three'].map((host) => [host, new FastClock(SPEED, { host })]))
  const envOf = (host: string) =>
    kind.inBucket ? { ...env, ...clocks.get(host)!.env, XDG_STATE_HOME: join(folder, host) } : env
  const asked = () => sandbox.stats().requests + bucket.requests
  const begun = async (host: string, at: number): Promise<Ended> => {
    const until =
      machines.length > 1 && at % 3 === 1
        ? asked() + 1 + Math.floor(random() * 100)
        : Number.POSITIVE_INFINITY
    return signalWhen(startCli(RUN, envOf(host), folder), 'SIGKILL', () => asked() >= until)
  }
  const ends = await Promise.all(machines.map(begun))
  let last: Ended
  do last = await runHosted(RUN, envOf(machines[0] ?? 'one'), folder)
  while (last.code === 5 || last.code === 7)
  ends.push(last)
  const ended = ends.filter(({ signal }) => signal !== 'SIGKILL')
  for (const { code, stderr } of ended) expect(code, stderr).toBeOneOf([0, 3, 5, 7])
  const { results } = await sandbox.query(
    'SELECT uuid, event, distinct_id, toString(timestamp), properties FROM events',
  )
  const told = ended.filter(({ code }) => code === 3).length
  return { told, events: eventsOf(place, kind), held: results.map(String).sort() }
}

const KINDS: readonly (readonly [string, Kind, readonly string[]])[] = [
  ['three on three machines with one bucket', { inBucket: true }, ['one', 'two', 'three']],
  ['two on two machines with one bucket', { inBucket: true }, ['one', 'two']],
  ['two on one machine', {}, ['one', 'one']],
  ['three on one machine', {}, ['one', 'one', 'one']],
]

test.each(KINDS.slice(0, kills({ few: 1, many: 4 })))('%s end as one alone', async (_, kind, machines) => {
  const folder = testFolder()
  const whole = await carried(kind, [], folder)
  expect(whole.told).toBe(1)
  expect(whole.held.length).toBeGreaterThan(150)
  for (let round = 0; round < ROUNDS; round++) expect(await carried(kind, machines, folder)).toEqual(whole)
})
