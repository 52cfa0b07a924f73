import { readdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'

const KEY = 'phx_Zq7VeryUnlikelyToStandAnywhereElse42'
const SHORT = 'phc_q7z'
const SECRET = 'q7zAmplitudeSecretKey000'

/** A proxy that any request would go through, so that a look-up of a wrong address shows. */
let proxy: Server
let asked = 0
let address: string
beforeAll(async () => {
  proxy = createServer((_, response) => {
    asked++
    response.writeHead(502).end()
  }).on('connect', (_, socket) => {
    asked++
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
})
afterAll(() => proxy.close())

const GOOD = {
  POSTHOG_PROJECT_API_KEY: 'phc_right',
  POSTHOG_PERSONAL_API_KEY: 'phx_right',
  AMPLITUDE_SECRET_KEY: SECRET,
}

test.each<[string, readonly string[], Record<string, string>]>([
  ['POSTHOG_PROJECT_ID', [], { POSTHOG_PROJECT_ID: KEY }],
  ['POSTHOG_HOST', [], { POSTHOG_HOST: SHORT }],
  ['POSTHOG_INGEST_HOST', [], { POSTHOG_INGEST_HOST: `https://${SHORT}.example.com` }],
  ['POSTHOG_REGION', [], { POSTHOG_REGION: KEY }],
  ['POSTHOG_PROJECT_API_KEY_FILE', [], { POSTHOG_PROJECT_API_KEY: '', POSTHOG_PROJECT_API_KEY_FILE: KEY }],
  ['POSTHOG_PROJECT_ID', [], { POSTHOG_PROJECT_ID: SECRET }],
  ['--host', ['--host', SHORT], {}],
  ['--checkpoint', ['--checkpoint', `x/${KEY}.json`], {}],
  ['--max-events', [`--max-events=${SHORT}`], {}],
  ['an argument', [KEY], {}],
  // A wrong setting comes with the whole command line, which must not show the key then.
  ['--stop-after', ['--stop-after', KEY], { POSTHOG_REGION: 'moon' }],
])('promise 8: a key in %s is neither printed, looked up nor stored: %j', async (name, more, env) => {
  const folder = testFolder()
  writeFileSync(join(folder, 'events.ndjson'), `${eventLine(makeEvent(1))}\n`)
  const before = asked
  for (const command of ['import', 'check']) {
    const flags = command === 'check' && more[0]?.startsWith('--') ? [] : more
    if (command === 'check' && more.length > 0 && flags.length === 0) continue
    const { code, stdout, stderr } = await runHosted(
      [command, '--file', 'events.ndjson', '--json', ...flags],
      { ...GOOD, HTTPS_PROXY: address, ...env },
      folder,
    )
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`posthaul: ${name} holds `)
    for (const secret of [KEY, KEY.slice(4), SHORT, SECRET]) expect(stderr).not.toContain(secret)
  }
  expect([asked, readdirSync(folder)]).toEqual([before, ['events.ndjson']])
})
