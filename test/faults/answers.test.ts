import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeFolder } from '../helpers/folder.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { type Answer, says } from './kit/action.ts'
import { chosen } from './kit/chosen.ts'
import { FastClock } from './kit/clock.ts'
import type { Received } from './kit/received.ts'
import { FaultyImport, type Imported } from './kit/run.ts'
import { Service } from './kit/service.ts'

const seed = seedOf('answers')
const random = seeded(seed)
const PAGE = '<html><body>Sign in to Wi-Fi</body></html>'
const text = (body: string): Answer => says(200, body)

/** Answers that end a run, its exit code, and what it says. */
const ENDS: readonly [name: string, answer: Answer, code: number, said: RegExp][] = [
  [
    '401',
    says(401, 'API key is not valid: personal_api_key'),
    4,
    /refuses this key: 401 API key is not valid/,
  ],
  ['403', says(403, PAGE), 4, /refuses this key: 403 Sign in to Wi-Fi/],
  ['402', says(402, 'payment required'), 5, /takes no more events for now: 402/],
  [
    '429 of the billing limit',
    says(429, 'billing limit reached', { 'Retry-After': '1' }),
    5,
    /billing limit/,
  ],
  ['200 over quota', text('{"status":"Ok","quota_limited":["events"]}'), 5, /over quota \(\["events"\]\)/],
  ['200 over some quota', text('{"status":1,"quota_limited":["recordings"]}'), 5, /the events were dropped/],
]

/** Answers that tell a wrong address, if no acknowledgement came before in the run. */
const NOT_THE_SERVICE: readonly [name: string, answer: Answer][] = [
  ['200 with a page', text(PAGE)],
  ['200 with nothing', text('')],
  ['200 with cut JSON', text('{"status":"O')],
  ['204', says(204)],
  ['301', says(301, '', { Location: '/elsewhere' })],
  ['400 with a page', says(400, PAGE)],
  ['404', says(404, PAGE)],
  ['405', says(405)],
]

describe('a run ends, and the next one goes on with the same bytes, after', () => {
  interface Ending {
    readonly name: string
    readonly answer: Answer
    /** Healthy requests of the run before. */
    readonly after: number
    readonly code: number
    readonly said: RegExp
  }
  const endings: Ending[] = [
    ...ENDS.flatMap(([name, answer, code, said]) => [
      { name: `${name} in the middle of a run`, answer, after: 1, code, said },
      { name: `${name} as its first answer`, answer, after: 0, code, said },
    ]),
    ...NOT_THE_SERVICE.map(([name, answer]) => {
      return {
        name: `${name} as its first answer`,
        answer,
        after: 0,
        code: 5,
        said: /the service was not reached/,
      }
    }),
  ]
  const rows = chosen(endings, 3, random)
  const runs: { readonly ended: Imported; readonly requests: readonly Received[] }[] = []
  let it: FaultyImport

  beforeAll(async () => {
    const service = await Service.start(undefined, afterAll)
    const events = 10 * (rows.length + 2)
    it = new FaultyImport({ service, seed, events, folder: makeFolder(), clock: new FastClock(20) })
    for (const { answer, after } of rows) {
      const begun = service.requests.length
      service.script = (n) => (n === begun + after ? { answer } : undefined)
      const ended = await it.run('--batch-events', '10')
      it.judge()
      runs.push({ ended, requests: service.requests.slice(begun) })
    }
    const begun = service.requests.length
    const ended = await it.run('--batch-events', '10')
    runs.push({ ended, requests: service.requests.slice(begun) })
  })

  test.each(rows)('$name', ({ name, after, code, said }) => {
    const at = rows.findIndex((row) => row.name === name)
    const [run, next] = [runs[at]!, runs[at + 1]!]
    expect(run.ended.summary?.error?.message).toMatch(said)
    expect([run.ended.code, run.requests.length]).toEqual([code, after + 1])
    expect(run.ended.stderr).not.toContain('phc_faults')
    expect(next.requests[0]!.packed.equals(run.requests[after]!.packed)).toBe(true)
  })

  test('and in the end all is there', () => {
    it.judge()
    expect(runs.at(-1)!.ended.code).toBe(0)
  })
})

describe('a redirect is not followed', () => {
  const STATUSES = [301, 302, 303, 307, 308]
  const PLACES = ['the same host', 'another host', 'no host'] as const
  const rows = PLACES.flatMap((place) => STATUSES.map((status) => ({ status, place })))

  test('to the same host, to another one or to nowhere', async () => {
    const other = await Service.start()
    const picked = chosen(rows, 2, random)
    const service = await Service.start((n) => {
      const row = n % 2 === 1 ? picked[(n - 1) / 2] : undefined
      if (row === undefined) return undefined
      const to = {
        'the same host': '/batch/?again',
        'another host': `${other.url}/batch/`,
        'no host': 'http://',
      }
      return { answer: says(row.status, PAGE, { Location: to[row.place] }) }
    })
    const events = 10 * (2 * picked.length + 2)
    const it = new FaultyImport({ service, seed, events, clock: new FastClock(20) })
    const { code } = await it.run('--batch-events', '10')
    it.judge()
    expect([code, other.connections]).toEqual([0, 0])
    for (const [i, row] of picked.entries()) {
      const [first, second] = service.requests.slice(2 * i + 1)
      expect(second!.packed.equals(first!.packed), JSON.stringify(row)).toBe(true)
    }
  })
})
