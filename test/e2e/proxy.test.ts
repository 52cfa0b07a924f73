import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { ConnectProxy, type Mood } from '../helpers/connect-proxy.ts'
import { writeDataset } from '../helpers/dataset.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { S3Server } from '../helpers/s3-server.ts'
import { fileSandbox, sandboxEnv } from '../helpers/sandbox-env.ts'
import { started } from '../helpers/started.ts'
import { CERTIFICATE, tlsFront } from '../helpers/tls-front.ts'
import { unfolded } from '../helpers/unfolded.ts'

const sandbox = await fileSandbox()

/** A proxy behind which one https server listens, and the environment that names it. */
async function behindProxy(port: number, mood?: Mood) {
  const front = await tlsFront(port)
  const proxy = await new ConnectProxy().start(front.port)
  proxy.mood = mood
  onTestFinished(async () => {
    await proxy.close()
    await front.close()
  })
  const env = { HTTPS_PROXY: `http://me:hush%2Fhush@${proxy.host}`, NODE_EXTRA_CA_CERTS: CERTIFICATE }
  return { proxy, env, targets: () => [...new Set(proxy.asked.map(({ target }) => target))] }
}

function events(): string {
  const path = join(testFolder(), 'events.ndjson')
  writeFileSync(path, Array.from({ length: 50 }, (_, n) => `${eventLine(makeEvent(n))}\n`).join(''))
  return path
}

const service = (): Record<string, string> => ({
  ...sandboxEnv(sandbox),
  POSTHOG_HOST: 'https://service.test',
  POSTHOG_INGEST_HOST: 'https://service.test',
})

test('an import and its key check go through the proxy, over TLS', async () => {
  const { proxy, env, targets } = await behindProxy(sandbox.port)
  const { stderr } = await exits(0, runCli(['import', '--file', events()], { ...service(), ...env }))
  expect(unfolded(stderr)).not.toContain('could not check')
  expect(targets()).toEqual(['service.test:443'])
  const authorization = `Basic ${Buffer.from('me:hush/hush').toString('base64')}`
  expect(proxy.asked.every((asked) => asked.authorization === authorization)).toBe(true)
  expect(sandbox.stats().events).toBe(50)
})

test('what is on this machine is asked without one', async () => {
  const { env, targets } = await behindProxy(sandbox.port)
  await exits(0, runHosted(['projects', 'list'], { ...sandboxEnv(sandbox), ...env }))
  expect(targets()).toEqual([])
})

test.each<[string, Mood, RegExp]>([
  ['wants a password', 407, /the proxy http:\/\/127\.0\.0\.1:\d+ \(HTTPS_PROXY\) answered 407/],
  [
    'is not there',
    undefined,
    /the proxy http:\/\/127\.0\.0\.1:\d+ \(HTTPS_PROXY\) cannot be reached: .*ECONNREFUSED/,
  ],
])('a proxy that %s ends an import at once, by the name of its variable', async (_, mood, said) => {
  const { proxy, env } = await behindProxy(sandbox.port, mood)
  if (mood === undefined) await proxy.close()
  const { POSTHOG_PERSONAL_API_KEY: _key, ...keys } = service()
  const { stderr } = await exits(5, runHosted(['import', '--file', events()], { ...keys, ...env }))
  expect(unfolded(stderr)).toMatch(said)
  expect(stderr).not.toContain('hush')
})

test('a dataset in a bucket is read through the proxy', async () => {
  const bucket = await started(new S3Server())
  const folder = testFolder()
  await writeDataset(folder, [{ file: '2024-01-01.ndjson', events: [makeEvent(1), makeEvent(2)] }])
  for (const name of readdirSync(folder)) {
    bucket.objects.set(`events/${name}`, { bytes: readFileSync(join(folder, name)), etag: '"1"' })
  }
  const { env, targets } = await behindProxy(Number(new URL(bucket.url).port))
  const argv = ['check', 's3://bucket/events', '--json']
  const storage = { ...bucket.env, ...env, AWS_ENDPOINT_URL_S3: 'https://storage.test' }
  const { stdout } = await exits(0, runCli(argv, storage))
  expect(stdout).toContain('"events":2')
  expect(targets()).toEqual(['storage.test:443'])
})
