import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { writeDataset } from '../helpers/dataset.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { listening } from '../helpers/listening.ts'
import { findSecrets, formsOf, textsBelow } from './kit/canary.ts'
import { FastClock } from './kit/clock.ts'

// With characters that JSON, URLs and base64 write in other ways. A project key with quotes is refused unsent.
const PROJECT = 'phc_Zq7/Canary\\Of\\The?Project+Key%42x9'
const PERSONAL = 'phx_Wv3"Canary\\Of/The?Personal+Key%42x9'
const VENDOR = 'Jk8"Canary\\Of/The?Vendor+Secret%42x9'
const BUCKET = 'Hd5Canary/Of+The/Bucket+Secret=42x9'
const TOKEN = 'Ty6Canary/Of+The/Session+Token=42x9'
const PROXY = 'Rm2Canary-Of.The_Proxy~Password-42x9'
const SECRETS = [PROJECT, PERSONAL, VENDOR, BUCKET, TOKEN, PROXY]

/** How a server repeats what it was sent. */
const ECHOES: Readonly<Record<string, (text: string) => string | Buffer>> = {
  'as it came': (text) => text,
  'as JSON': (text) => JSON.stringify({ type: 'invalid', detail: text }),
  'as JSON in JSON': (text) => JSON.stringify({ detail: JSON.stringify({ text }) }),
  'as a page': (text) => `<html><body>${text}</body></html>`,
  'in base64': (text) => Buffer.from(`x${text}`).toString('base64'),
  'for a URL': encodeURIComponent,
  'packed with gzip': (text) => gzipSync(text),
  'cut in the secret': (text) => cutInSecret(text),
  'after much else': (text) => `${'word '.repeat(57)}${text}`,
}

/** The text up to three characters before the end of the first secret in it. */
function cutInSecret(text: string): string {
  const ends = SECRETS.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]).flatMap((form) => {
    const at = text.indexOf(form)
    return at === -1 ? [] : [at + form.length - 3]
  })
  return text.slice(0, Math.min(...ends, text.length))
}

type Reply = (said: string, request: IncomingMessage, response: ServerResponse) => void

/** A server that is told all of each request: its address, its headers, its body unpacked. */
async function echoServer(reply: Reply): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
    const basic = /^Basic (.*)/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const login = Buffer.from(basic, 'base64').toString()
    reply(`${request.url} ${JSON.stringify(request.headers)} ${login} ${body}`, request, response)
  }
  const server = createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  )
  server.on('connect', (request, socket) => {
    const login = request.headers['proxy-authorization'] ?? ''
    const said = `${login} ${Buffer.from(login.slice(6), 'base64')}`
    socket.end(`HTTP/1.1 407 ${login}\r\nX-Echo: ${login}\r\nContent-Length: ${said.length}\r\n\r\n${said}`)
  })
  return listening(server)
}

/** Answers with what it was told. */
function echoing(
  status: number,
  echo: string,
  except?: (said: string, request: IncomingMessage) => string | undefined,
): Reply {
  return (said, request, response) => {
    const body = except?.(said, request)
    if (body !== undefined) return void response.writeHead(200).end(body)
    const line = said.replace(/[^\x20-\x7e]/g, ' ').slice(0, 4000)
    response.writeHead(status, {
      'x-echo': line,
      location: `https://example.com/?${encodeURIComponent(line)}`,
      ...(echo === 'packed with gzip' && { 'content-encoding': 'gzip' }),
    })
    response.end(ECHOES[echo]!(said))
  }
}

interface Run {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string
  /** Killed with SIGKILL as soon as it has resolved. */
  readonly killed?: Promise<void>
}

const clock = new FastClock(100)

/** A place to work in, and all that was printed there. */
class Place {
  readonly folder = testFolder()
  readonly printed = new Map<string, string>()

  constructor() {
    for (const name of ['work', 'tmp', 'state']) mkdirSync(join(this.folder, name))
  }

  path(...names: readonly string[]): string {
    return join(this.folder, 'work', ...names)
  }

  events(count: number): string {
    const path = this.path('events.ndjson')
    const all = Array.from({ length: count }, (_, n) => eventLine(makeEvent(n)))
    writeFileSync(path, `${all.join('\n')}\nbad\n`)
    return path
  }

  async run({ argv, env, stdin = '', killed }: Run): Promise<void> {
    const places = { TMPDIR: join(this.folder, 'tmp'), XDG_STATE_HOME: join(this.folder, 'state') }
    const all = { ...places, ...clock.env, ...env }
    const cli = killed && startCli(argv, all, this.path())
    void killed?.then(() => cli?.kill('SIGKILL'))
    const ended = await (cli?.ended ?? runHosted(argv, all, this.path(), stdin))
    const text = ended.stdout + ended.stderr
    expect(killed ? [null] : [0, 2, 3, 4, 5], text).toContain(ended.code)
    this.printed.set(`${this.printed.size + 1}: posthaul ${argv.join(' ')}`, text)
  }

  /** No secret stands in any file or stream. */
  search(): void {
    expect(findSecrets(new Map([...this.printed, ...textsBelow(this.folder)]), SECRETS)).toEqual([])
  }
}

/** The first events are accepted: import then trusts the service when it refuses others. */
const once200 = (said: string) => (said.includes('000000000000') ? '{"status":"Ok"}' : undefined)
const STATUSES = [400, 401, 403, 429, 503]
const CASES = Object.keys(ECHOES).flatMap((echo) => STATUSES.map((status) => [status, echo] as const))
const SOME = CASES.filter(
  ([status], n) => status === STATUSES[Math.floor(n / STATUSES.length) % STATUSES.length],
)

test('the search finds each form of a secret', () => {
  for (const secret of SECRETS) {
    for (const [form, text] of formsOf(secret)) {
      expect(text.length, form).toBeGreaterThan(20)
      expect(findSecrets(new Map([['here', `a ${text} b`]]), [secret])).not.toEqual([])
    }
    for (const before of ['', 'a', 'ab', 'user:']) {
      const coded = Buffer.from(`${before}${secret}`).toString('base64')
      expect(findSecrets(new Map([['here', coded]]), [secret])).not.toEqual([])
    }
  }
})

test.each(SOME.slice(0, kills({ few: 1, many: SOME.length })))(
  'import: a service that answers %i with all it was sent, %s',
  async (status, echo) => {
    const place = new Place()
    const url = await echoServer(echoing(status, echo, once200))
    const file = place.events(6)
    // A run whose drain is over is left behind, which is the end of a process, but not of this one.
    const keyless = { POSTHOG_INGEST_HOST: url, POSTHAUL_DRAIN: '1d' }
    const env = { ...keyless, POSTHOG_PROJECT_API_KEY: PROJECT }
    const argv = ['import', '--file', file, '--batch-events', '2', '--retry-for', '10s']
    await place.run({ argv: [...argv, '--json'], env })
    await place.run({ argv, env: keyless, stdin: PROJECT })
    await place.run({ argv: [...argv, '--project-key-stdin'], env: keyless, stdin: `${PROJECT}\n` })
    const both = { ...env, POSTHOG_HOST: url, POSTHOG_PERSONAL_API_KEY: PERSONAL }
    await place.run({ argv, env: both })
    await place.run({ argv: ['status', '--file', file, '--json', '--rejects'], env: both })
    place.search()
  },
)

test('an import that is killed in mid-run, and one whose key file is bad', async () => {
  const place = new Place()
  let asked: () => void = () => undefined
  const killed = new Promise<void>((resolve) => (asked = resolve))
  const url = await echoServer((said, _, response) => {
    if (once200(said)) response.end('{"status":"Ok"}')
    else asked()
  })
  const argv = ['import', '--file', place.events(6), '--batch-events', '2']
  const secret = join(testFolder(), 'key')
  writeFileSync(secret, PROJECT, { mode: 0o600 })
  const env = { POSTHOG_PROJECT_API_KEY_FILE: secret, POSTHOG_INGEST_HOST: url }
  await place.run({ argv, env, killed })
  const wide = join(testFolder(), 'key')
  writeFileSync(wide, PROJECT, { mode: 0o644 })
  await place.run({ argv, env: { ...env, POSTHOG_PROJECT_API_KEY_FILE: wide } })
  writeFileSync(secret, `${PROJECT}\n${PERSONAL}`, { mode: 0o600 })
  await place.run({ argv, env })
  place.search()
})

test.each(Object.keys(ECHOES).slice(0, kills({ few: 1, many: 9 })))(
  'export, groups and verify: a server that answers with all it was sent, %s',
  async (echo) => {
    const place = new Place()
    for (const status of [401, 500]) {
      const url = await echoServer(echoing(status, echo))
      const days = ['--from', '2024-01-01', '--to', '2024-01-02']
      const out = (vendor: string) => ['--out', place.path(`${vendor}${status}`)]
      const mixpanel = {
        MIXPANEL_PROJECT_ID: '1',
        MIXPANEL_SERVICE_ACCOUNT: 'canary',
        MIXPANEL_SERVICE_SECRET: VENDOR,
      }
      const from = ['--base-url', url, '--retry-for', '5s']
      await place.run({ argv: ['export', 'mixpanel', ...days, ...from, ...out('mixpanel')], env: mixpanel })
      const amplitude = { AMPLITUDE_API_KEY: 'canary', AMPLITUDE_SECRET_KEY: VENDOR }
      await place.run({
        argv: ['export', 'amplitude', ...days, ...from, ...out('amplitude')],
        env: amplitude,
      })
      const api = { POSTHOG_HOST: url, POSTHOG_PERSONAL_API_KEY: PERSONAL, POSTHOG_PROJECT_ID: '1' }
      await place.run({ argv: ['groups', 'list', '--type', '0'], env: api })
      const dataset = place.path(`events${status}`)
      await writeDataset(dataset, [{ file: '2024-01-01.ndjson', events: [makeEvent(1)] }])
      await place.run({ argv: ['verify', dataset, '--json'], env: api })
    }
    place.search()
  },
)

test('a bucket and a proxy that answer with all they were sent', async () => {
  const place = new Place()
  const url = await echoServer(echoing(403, 'as it came'))
  const aws = {
    AWS_ACCESS_KEY_ID: 'AKIACANARY',
    AWS_SECRET_ACCESS_KEY: BUCKET,
    AWS_SESSION_TOKEN: TOKEN,
    AWS_REGION: 'us-east-1',
    AWS_ENDPOINT_URL_S3: url,
  }
  const file = place.events(3)
  const to = ['--out', 's3://bucket/events']
  await place.run({
    argv: ['transform', '--preset', 'posthog', '--in', file, ...to, '--max-reject-ratio', '1'],
    env: aws,
  })
  await place.run({ argv: ['check', 's3://bucket/events'], env: aws })
  const proxied = {
    POSTHOG_PROJECT_API_KEY: PROJECT,
    POSTHOG_INGEST_HOST: 'https://service.test',
    HTTPS_PROXY: url.replace('//', `//me:${PROXY}@`),
  }
  await place.run({ argv: ['import', '--file', file, '--retry-for', '5s'], env: proxied })
  const bad = { ...proxied, HTTPS_PROXY: `gopher://me:${PROXY}@nowhere` }
  await place.run({ argv: ['import', '--file', file, '--retry-for', '5s'], env: bad })
  place.search()
})
