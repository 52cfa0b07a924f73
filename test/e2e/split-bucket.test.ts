import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { signalWhen, startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { testFolder } from '../helpers/folder.ts'
import { history } from '../helpers/history.ts'
import { S3Server } from '../helpers/s3-server.ts'
import { unfolded } from '../helpers/unfolded.ts'

/*
 * A history that is divided by people in a bucket.
 */
const NAMES = ['people-01', 'people-02']

/** Of a manifest all but when it was made. */
const undated = (bytes: Buffer) => bytes.toString('latin1').replace(/"created_at": "[^"]*"/, '')

async function place() {
  const bucket = await new S3Server().start()
  onTestFinished(() => bucket.close())
  const folder = testFolder()
  const input = join(folder, 'raw.ndjson')
  writeFileSync(input, [...history({ seed: 5, bytes: 60_000, days: 3, people: 20, broken: 0.05 })].join(''))
  const env = { ...bucket.env, XDG_STATE_HOME: join(folder, 'state'), TMPDIR: folder }
  const argv = (out: string, datasets: number) => [
    ...['transform', '--preset', 'amplitude', '--in', input, '--out', out],
    ...['--endpoint', bucket.url, '--split-people', `${datasets}`],
  ]
  /** What stands under a prefix of the bucket. */
  const objects = (prefix: string) =>
    Object.fromEntries(
      [...bucket.objects]
        .filter(([key]) => key.startsWith(`${prefix}/`))
        .map(([key, { bytes }]) => [key.slice(`${prefix}/`.length), undated(bytes)]),
    )
  const divide = (out: string, datasets = 2) => runHosted(argv(out, datasets), env)
  const work = () => readdirSync(join(folder, 'state', 'posthaul', 'work'))
  return { bucket, folder, input, env, argv, objects, divide, work }
}

test('a division in a bucket holds what one on this machine holds, and can be made again', async () => {
  const { folder, divide, objects, work } = await place()
  const out = join(folder, 'divided')
  expect((await divide(out)).code).toBe(3)
  const onDisk = NAMES.flatMap((name) =>
    readdirSync(join(out, name)).map((file) => [
      `${name}/${file}`,
      undated(readFileSync(join(out, name, file))),
    ]),
  )
  const made = await divide('s3://bucket/divided')
  expect(made.code, made.stderr).toBe(3)
  expect(unfolded(made.stderr)).toContain('rejects are in s3://bucket/divided/people-01/rejects.ndjson')
  const first = objects('divided')
  expect(first).toEqual(Object.fromEntries(onDisk))
  for (const name of NAMES) expect(Object.keys(first)).toContain(`${name}/manifest.json`)

  const again = await divide('s3://bucket/divided')
  expect(again.code, again.stderr).toBe(3)
  expect(objects('divided')).toEqual(first)
  expect(work()).toEqual([])
})

test('another number of datasets, or one that is not divided, is not written over', async () => {
  const { env, input, bucket, divide, objects } = await place()
  expect((await divide('s3://bucket/divided')).code).toBe(3)
  const before = objects('divided')
  for (const datasets of [3, 4]) {
    const other = await divide('s3://bucket/divided', datasets)
    expect([other.code, unfolded(other.stderr)]).toEqual([2, expect.stringContaining('another number')])
  }
  const argv = ['transform', '--preset', 'amplitude', '--in', input, '--endpoint', bucket.url, '--out']
  expect((await runHosted([...argv, 's3://bucket/divided'], env)).code).toBe(2)
  expect(objects('divided')).toEqual(before)

  expect((await runHosted([...argv, 's3://bucket/one'], env)).code).toBe(3)
  const one = objects('one')
  const over = await divide('s3://bucket/one')
  expect([over.code, unfolded(over.stderr)]).toEqual([2, expect.stringContaining('it would be replaced')])
  expect(objects('one')).toEqual(one)
})

test('killed anywhere, the same command carries on to the same objects', async () => {
  const { bucket, env, argv, divide, objects, work } = await place()
  expect((await divide('s3://bucket/whole')).code).toBe(3)
  for (const mark of ['people-01/', 'people-02/', 'people-01/manifest.json']) {
    const cli = startCli(argv('s3://bucket/killed', 2), env)
    const isThere = (key: string) => key.startsWith(`killed/${mark}`)
    await signalWhen(cli, 'SIGKILL', () => [...bucket.objects.keys()].some(isThere))
  }
  const done = await divide('s3://bucket/killed')
  expect(done.code, done.stderr).toBe(3)
  expect(objects('killed')).toEqual(objects('whole'))
  expect(work()).toEqual([])
})
