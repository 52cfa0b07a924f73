import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'

const KEY = 'phc_Zq7VeryUnlikelyToStandAnywhereElse42'

/** A service that repeats the whole request in its answers, the key included. */
let server: Server
/** What it answers to events, and to what is asked before them. */
let status = 200
let statusOfQuestions = 200
beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const sent = Buffer.concat(chunks)
      const body = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent).toString()
      // One event is accepted: import then trusts the service when it refuses single events.
      const accepted = status === 400 && !body.includes('signed up')
      const code = request.url?.startsWith('/batch/') ? status : statusOfQuestions
      response.writeHead(accepted ? 200 : code, {
        'x-echo': KEY,
        location: `https://example.com/?key=${KEY}`,
      })
      response.end(accepted ? '{"status":"Ok"}' : `key ${KEY} body ${body}`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => server.close())

test.each([
  [200, 200, 5],
  [200, 302, 5],
  [200, 400, 3],
  [200, 401, 4],
  [200, 429, 5],
  [200, 503, 5],
  // No project has the key: a finding stops the import, each time.
  [401, 200, 3],
  [503, 200, 5],
])(
  'promise 8: a server that answers %i, then %i with the key in its words: it is printed and kept nowhere',
  async (first, code, exit) => {
    statusOfQuestions = first
    status = code
    const path = join(testFolder(), 'events.ndjson')
    writeFileSync(
      path,
      [...Array.from({ length: 6 }, (_, n) => eventLine(makeEvent(n))), 'bad', ''].join('\n'),
    )
    const { port } = server.address() as AddressInfo
    const argv = ['import', '--file', path, '--retry-for', '0s', '--max-events-per-minute', '10000']
    for (const [run, more] of [[], ['--json']].entries()) {
      const ended = await runHosted([...argv, ...more], {
        POSTHOG_PROJECT_API_KEY: KEY,
        POSTHOG_INGEST_HOST: `http://127.0.0.1:${port}`,
      })
      // The second run makes no new rejects.
      expect(ended.code, ended.stderr).toBe(exit === 3 && first === 200 && run > 0 ? 0 : exit)
      expect(ended.stdout + ended.stderr).not.toContain(KEY.slice(4))
    }
    const names = readdirSync(dirname(path))
    // A key that is refused before the first event leaves nothing but the file.
    expect(names.length).toBeGreaterThan(first === 401 ? 0 : 1)
    for (const name of names) {
      const text = readFileSync(join(dirname(path), name), 'utf8')
      for (const form of [KEY, KEY.slice(4), Buffer.from(KEY).toString('base64')])
        expect(text, name).not.toContain(form)
    }
  },
)
