import { gzipSync } from 'node:zlib'
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.ts'
import { testSandbox } from '../helpers/sandbox-env.ts'

/** An answer, read to its end. */
export interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  json(): unknown
}

/** A sandbox that closes with its test, and the requests tests make of it. */
export interface Harness {
  readonly sandbox: Sandbox
  /** POSTs a body (JSON text, or a value to write as JSON). */
  post(path: string, body: unknown, options?: { readonly gzip?: boolean }): Promise<Answer>
  /** POSTs events in an envelope with the right key; throws unless they are taken. */
  send(events: readonly unknown[], envelope?: Readonly<Record<string, unknown>>): Promise<void>
  /** GETs from the project API with the personal key, or with another one. */
  get(path: string, key?: string): Promise<Answer>
  /** POSTs a value to the project API with the personal key, or with another one. */
  ask(path: string, value?: unknown, key?: string): Promise<Answer>
  query(sql: string, key?: string): Promise<Answer>
}

export async function startHarness(options: SandboxOptions = {}): Promise<Harness> {
  const sandbox = await testSandbox(options)
  const call = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(new URL(path, sandbox.url), { redirect: 'manual', ...init })
    const text = await response.text()
    return { status: response.status, text, headers: response.headers, json: () => JSON.parse(text) }
  }
  const bearer = (key = sandbox.personalKey) => ({ authorization: `Bearer ${key}` })
  const post: Harness['post'] = (path, body, { gzip = false } = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const headers = { 'content-type': 'application/json', ...(gzip && { 'content-encoding': 'gzip' }) }
    return call(path, { method: 'POST', headers, body: gzip ? gzipSync(text) : text })
  }
  const ask: Harness['ask'] = (path, value, key) =>
    call(path, {
      method: 'POST',
      headers: { ...bearer(key), 'content-type': 'application/json' },
      body: JSON.stringify(value ?? {}),
    })
  return {
    sandbox,
    post,
    ask,
    send: async (events, envelope = {}) => {
      const answer = await post('/batch/', { api_key: sandbox.projectKey, batch: events, ...envelope })
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
    },
    get: (path, key) => call(path, { headers: bearer(key) }),
    query: (sql, key) =>
      ask(
        '/api/projects/1/query/',
        { query: { kind: 'HogQLQuery', query: sql }, refresh: 'force_blocking' },
        key,
      ),
  }
}

/** The rows of a query, straight from the store. */
export async function rows(sandbox: Sandbox, sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await sandbox.query(sql)).results
}

/** The nth of a row of UUIDs. */
export function uuid(n: number): string {
  return `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`
}
