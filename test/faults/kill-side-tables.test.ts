import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { S3Store } from '../../src/store/s3.ts'
import { runCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { ForeignS3 } from '../helpers/s3rver.ts'
import { suffering } from './kit/plan.ts'

/** Two units of a transform, which is killed between them. */
const RECORDS = 3000
const USERS = 100

/** Of each user's events all but some come from a second device, with an id that was merged later. */
function records(): string {
  return Array.from({ length: RECORDS }, (_, n) => {
    const user = n % USERS
    const isKnown = n % 7 === 0
    return `${JSON.stringify({
      event_type: 'Article Read',
      event_time: new Date(Date.UTC(2024, 2, 1) + n * 20_000)
        .toISOString()
        .replace('T', ' ')
        .replace('Z', ''),
      amplitude_id: 1000 + (isKnown ? user : USERS + user),
      user_id: isKnown ? `reader-${user}` : null,
      device_id: `${isKnown ? 'laptop' : 'phone'}-${user}`,
      $insert_id: `i-${n}`,
      event_properties: { note: 'x'.repeat(1500) },
    })}\n`
  }).join('')
}

/** Rows for the ids of the first `count` users. */
function merges(count: number): Buffer {
  const rows = Array.from({ length: count }, (_, user) => `${1000 + USERS + user},${1000 + user}\n`)
  return Buffer.from(`amplitude_id,merged_amplitude_id\n${rows.join('')}`)
}

/** Every file of a dataset; the manifest without the time when it was made. */
function contentOf(out: string): Record<string, string> {
  const names = readdirSync(out).filter((name) => !name.startsWith('.'))
  return Object.fromEntries(
    names.sort().map((name) => {
      return [name, readFileSync(join(out, name), 'utf8').replace(/"created_at": "[^"]*"/, '')]
    }),
  )
}

test('a transform that was killed goes on with a side table from a bucket, and anew when that has changed', async () => {
  const bucket = await new ForeignS3().start()
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await bucket.close()
  })
  const folder = testFolder()
  const scratch = join(folder, 'scratch')
  mkdirSync(scratch)
  writeFileSync(join(folder, 'events.ndjson'), records())
  for (const [name, value] of Object.entries(bucket.env)) vi.stubEnv(name, value)
  const place = new S3Store(bucket.location('tables'))
  const env = { ...bucket.env, TMPDIR: scratch }
  const argv = (out: string) => {
    const inputs = ['--in', join(folder, 'events.ndjson'), '--join', 'merge_ids=s3://bucket/tables/ids.csv']
    const more = ['--workers', '1', '--json', '--out', join(folder, out)]
    return ['transform', '--preset', 'amplitude', ...inputs, ...more]
  }
  const whole = async (out: string) => {
    const { stdout } = await exits(0, runHosted(argv(out), env))
    return { generated: JSON.parse(stdout).counts.generated, files: contentOf(join(folder, out)) }
  }
  const kill = async () => {
    const plan = { match: '.done', kill: { point: 'worker rename', nth: 1, when: 'after' } } as const
    const ended = await runCli(argv('killed'), { ...env, ...suffering(plan) })
    expect(ended.signal, ended.stderr).toBe('SIGKILL')
    expect(readdirSync(scratch)).toEqual([expect.stringMatching(/^posthaul-tables-/)])
  }

  await place.put('ids.csv', merges(USERS))
  const undisturbed = await whole('undisturbed')
  expect(undisturbed.generated).toBe(2 * USERS)
  await kill()
  expect(await whole('killed')).toEqual(undisturbed)
  expect(readdirSync(scratch)).toEqual([])

  await kill()
  await place.put('ids.csv', merges(USERS - 1))
  // A piece of the run before would bring the link back that is gone.
  expect((await whole('killed')).generated).toBe(2 * USERS - 1)
})
