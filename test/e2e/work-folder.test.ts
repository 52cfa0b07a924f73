import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { suffering } from '../faults/kit/plan.ts'
import { runCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { history } from '../helpers/history.ts'
import { S3Server } from '../helpers/s3-server.ts'
import { started } from '../helpers/started.ts'
import { unfolded } from '../helpers/unfolded.ts'
import { FakeMixpanel } from '../helpers/vendors/mixpanel.ts'

const NOBODY = 65_534
const isRoot = process.getuid?.() === 0

async function place() {
  const bucket = await started(new S3Server())
  const folder = testFolder()
  const [home, tmp, input] = [join(folder, 'state'), join(folder, 'tmp'), join(folder, 'raw.ndjson')]
  mkdirSync(tmp)
  writeFileSync(input, [...history({ seed: 3, bytes: 60_000, days: 3, people: 20, broken: 0.05 })].join(''))
  const env = { ...bucket.env, XDG_STATE_HOME: home, TMPDIR: tmp }
  const argv = (out: string) => [
    ...['transform', '--preset', 'amplitude', '--in', input, '--out', `s3://bucket/${out}`],
  ]
  const objects = (prefix: string) =>
    [...bucket.objects]
      .filter(([key]) => key.startsWith(`${prefix}/`))
      .map(([key, { bytes }]) => [
        key.slice(prefix.length),
        bytes.toString('latin1').replace(/"created_at": "[^"]*"/, ''),
      ])
      .sort()
  return { bucket, folder, env, tmp, input, argv, objects, work: join(home, 'posthaul', 'work') }
}

const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8)

test('a transform into a bucket works in a private folder, goes on there after a kill, and leaves nothing', async () => {
  const { env, tmp, argv, work, objects } = await place()
  const kill = { point: 'rename', nth: 3, when: 'after' } as const
  const plan = suffering({ match: '.done', kill })
  expect((await runCli(argv('events'), { ...env, ...plan })).signal).toBe('SIGKILL')
  const folder = readdirSync(work).find((name) => /^transform-[0-9a-f]{16}-\w{6}$/.test(name))!
  expect([modeOf(work), modeOf(join(work, folder))]).toEqual(['700', '700'])
  const files = readdirSync(join(work, folder))
  expect(files.filter((name) => name.endsWith('.done'))).toHaveLength(3)
  for (const name of files) expect(modeOf(join(work, folder, name))).toBe('600')
  // What the first run finished is not done again.
  const log = join(tmp, '..', 'points.log')
  await exits(3, runCli(argv('events'), { ...env, ...suffering({ match: '.done', log }) }))
  expect(readFileSync(log, 'utf8')).not.toContain('unit-000000.done.tmp')
  expect([readdirSync(work), readdirSync(tmp)]).toEqual([[], []])
  await exits(3, runHosted(argv('whole'), env))
  expect(objects('events')).toEqual(objects('whole'))
})

test('a link in its place is refused with what to do, and what it leads to stays', async () => {
  const { env, argv, work, folder } = await place()
  const victim = join(folder, 'victim')
  mkdirSync(victim)
  writeFileSync(join(victim, 'letter.txt'), 'mine')
  mkdirSync(join(work, '..'), { recursive: true })
  symlinkSync(victim, work)
  const { stderr } = await exits(2, runHosted(argv('events'), env))
  expect(unfolded(stderr)).toContain(`${work} is a symbolic link, so work files are not safe there`)
  expect(unfolded(stderr)).toContain('--work-dir')
  expect(readdirSync(victim)).toEqual(['letter.txt'])
})

test('a link in place of the work folder of a local dataset is refused too', async () => {
  const { env, input, folder } = await place()
  const [victim, out] = [join(folder, 'victim'), join(folder, 'events')]
  for (const path of [victim, out]) mkdirSync(path)
  writeFileSync(join(victim, 'letter.txt'), 'mine')
  symlinkSync(victim, join(out, '.posthaul-transform'))
  const argv = ['transform', '--preset', 'amplitude', '--in', input, '--out', out]
  await exits(2, runHosted(argv, env))
  expect(readdirSync(victim)).toEqual(['letter.txt'])
})

test('--work-dir moves it, and is refused where nothing would be kept in it', async () => {
  const { env, argv, work, folder, input } = await place()
  const other = join(folder, 'scratch')
  const plan = suffering({ match: '.done', kill: { point: 'rename', nth: 2, when: 'after' } })
  const moved = [...argv('events'), '--work-dir', other]
  expect((await runCli(moved, { ...env, ...plan })).signal).toBe('SIGKILL')
  expect(readdirSync(other).filter((name) => name.startsWith('transform-'))).toHaveLength(3)
  await exits(3, runHosted(moved, env))
  expect(readdirSync(other)).toEqual([])
  expect(() => readdirSync(work)).toThrow('ENOENT')
  const local = ['transform', '--preset', 'amplitude', '--in', input, '--out', join(folder, 'events')]
  await exits(2, runHosted([...local, '--work-dir', other], env), '--work-dir')
})

test.runIf(isRoot)('a home that can not be written to is an error that names --work-dir', async () => {
  const { env, argv, folder } = await place()
  chmodSync(folder, 0o755)
  const { XDG_STATE_HOME: _, ...rest } = env
  for (const home of [join(folder, 'none'), '/proc/none']) {
    const { stderr } = await exits(
      2,
      runCli(argv('events'), { ...rest, HOME: home, XDG_STATE_HOME: '' }, folder, NOBODY),
    )
    expect(unfolded(stderr)).toContain('--work-dir')
  }
})

test('an export into a bucket leaves nothing on this machine', async () => {
  const { env, tmp, work } = await place()
  const event = {
    event: 'Plan Chosen',
    properties: { time: Date.UTC(2024, 2, 1), distinct_id: 'u', $insert_id: 'i' },
  }
  const fake = await started(new FakeMixpanel({ events: [event] }))
  fake.credentials = { user: 'service-user', secret: '' }
  const days = ['--from', '2024-03-01', '--to', '2024-03-02', '--base-url', fake.url]
  const argv = ['export', 'mixpanel', ...days, '--out', 's3://bucket/raw']
  await exits(0, runHosted(argv, { ...env, MIXPANEL_API_SECRET: 'service-user' }))
  expect([readdirSync(work), readdirSync(tmp)]).toEqual([[], []])
})
