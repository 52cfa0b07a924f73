import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { RESULTS, type SandboxResult } from '../../src/commands/results.ts'
import { arrivedQuery } from '../../src/service/arrived.ts'
import { startCli } from './cli-process.ts'
import { makeFolder } from './folder.ts'

const DAY_MS = 86_400_000
const BATCH = 2000
const START = Date.UTC(2025, 0, 1)
const day = (n: number) => new Date(START + n * DAY_MS).toISOString().slice(0, 10)
const uuid = (n: number) => `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`
const instant = (n: number) => `toDateTime64('${day(n)} 00:00:00.000000', 6, 'UTC')`

/** What a sandbox is put through. */
interface Life {
  readonly events: number
  /** Different queries; of every hundredth the service makes nothing. */
  readonly queries: number
  /** The questions of so many verifies of a week. */
  readonly verifies: number
}

/** How much memory the process had, in MiB. */
interface Memory {
  readonly rss: number
  readonly peak: number
}

/** What a sandbox was after a share of its life. */
interface Lived {
  readonly events: Memory
  /** After each 500 queries, and after each 50 verifies. */
  readonly queries: readonly Memory[]
  readonly verifies: readonly Memory[]
  readonly end: Memory
}

/**
 * Puts a sandbox, a process of its own, through a life by HTTP. No answer is a 500. Started again with the same data, it
 * answers alike.
 */
export async function live({ events, queries, verifies }: Life): Promise<Lived> {
  const data = makeFolder()
  const last = [...questionsOf(0), ...questionsOf(192)]
  const { lived, answers } = await withSandbox(data, async ({ post, query, memory }) => {
    for (let from = 0; from < events; from += BATCH) {
      const batch = Array.from({ length: BATCH }, (_, n) => eventOf(from + n))
      await post('/batch/', { batch, historical_migration: true })
    }
    const lived = { events: memory(), queries: [] as Memory[], verifies: [] as Memory[] }
    for (let n = 1; n <= queries; n++) {
      if (n % 100 === 50) await query(`SELECT nope${n} FROM events`, 400)
      const at = n % 194
      await query(
        `SELECT event, count() AS c${n} FROM events WHERE timestamp >= ${instant(at)} AND timestamp < ${instant(at + 1)} GROUP BY event`,
      )
      if (n % 500 === 0) lived.queries.push(memory())
    }
    for (let n = 1; n <= verifies; n++) {
      for (const sql of questionsOf(n)) await query(sql)
      if (n % 50 === 0) lived.verifies.push(memory())
    }
    const answers = await inTurn(last, query)
    return { lived: { ...lived, end: memory() }, answers }
  })
  const again = await withSandbox(data, ({ query }) => inTurn(last, query))
  expect(again).toEqual(answers)
  return lived
}

interface Living {
  post(path: string, body: object, status?: number): Promise<unknown>
  query(sql: string, status?: number): Promise<unknown>
  memory(): Memory
}

async function withSandbox<T>(data: string, work: (living: Living) => Promise<T>): Promise<T> {
  const cli = startCli(['sandbox', '--port', '0', '--data', data])
  try {
    const found = await listening(cli.printed)
    const post: Living['post'] = async (path, body, status = 200) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${found.personal_key}` }
      const sent = JSON.stringify({ api_key: found.project_key, ...body })
      const answer = await fetch(found.url + path, { method: 'POST', headers, body: sent })
      const text = await answer.text()
      expect(answer.status, text).toBe(status)
      return (JSON.parse(text) as { results?: unknown }).results
    }
    return await work({
      post,
      query: (query, status) =>
        post('/api/projects/1/query/', { query: { kind: 'HogQLQuery', query } }, status),
      memory: () => {
        const status = readFileSync(`/proc/${found.pid}/status`, 'utf8')
        const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1024
        return { rss: of('VmRSS'), peak: of('VmHWM') }
      },
    })
  } finally {
    cli.kill('SIGTERM')
    await cli.ended
  }
}

async function inTurn(questions: readonly string[], query: Living['query']): Promise<readonly unknown[]> {
  const answers: unknown[] = []
  for (const sql of questions) answers.push(await query(`${sql}`))
  return answers
}

function eventOf(n: number): object {
  const text = 'x'.repeat(150)
  const $current_url = `https://example.com/${n}`
  return {
    uuid: uuid(n),
    event: `name${n % 20}`,
    distinct_id: `u${n % 5000}`,
    timestamp: new Date(START + (n % 200) * DAY_MS + n).toISOString(),
    properties: { n, text, $browser: 'Chrome', $current_url, $groups: { company: `c${n % 50}` } },
    ...(n % 10 === 0 && { $set: { email: `u${n}@example.com` } }),
  }
}

/** What a verify of a week asks: prints, values of a sample, people and groups. */
function questionsOf(n: number): string[] {
  const at = n % 193
  const filter = { first: day(at), last: day(at + 6), importIds: null }
  const span = `timestamp >= ${instant(at)} AND timestamp < ${instant(at + 7)}`
  const uuids = Array.from({ length: 50 }, (_, i) => `'${uuid(n * 50 + i)}'`).join(', ')
  return [
    arrivedQuery(filter, false, undefined, 50_000 - (n % 1000)),
    `SELECT toString(uuid), event, distinct_id, properties FROM events WHERE ${span} AND toString(uuid) IN (${uuids}) LIMIT 50000`,
    `SELECT count(DISTINCT person_id), count(DISTINCT distinct_id) AS v${n} FROM events WHERE ${span}`,
    `SELECT $group_0, count() AS g${n} FROM events WHERE ${span} GROUP BY $group_0`,
  ]
}

/** What a sandbox that was started says of itself, once it listens. */
export async function listening(printed: () => string): Promise<SandboxResult> {
  const line = /^\{.*\}$/m
  await expect.poll(printed).toMatch(line)
  return RESULTS.sandbox.parse(JSON.parse(line.exec(printed())![0]))
}
