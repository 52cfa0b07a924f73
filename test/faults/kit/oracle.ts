import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { MintedEvent } from './mint.ts'
import { isKept, type Received, V1_PATH } from './received.ts'
import type { Service } from './service.ts'

/** What the summary of a run says, as far as it is judged. */
export interface Summary {
  readonly finished: boolean
  readonly conserved: boolean
  readonly reason: string | null
  readonly counts: Readonly<Record<Count, number>>
  readonly error: { readonly code: string; readonly message: string } | null
}

const ENVELOPE = /^\{"api_key":"[^"]*","historical_migration":true,"batch":\[/
const V1_ENVELOPE = /^\{"created_at":"[^"]{24}","historical_migration":true,"batch":\[/
const V1_HEAD =
  /^(\{"uuid":"[^"]*","timestamp":"[^"]*","event":"(?:[^"\\]|\\.)*","distinct_id":("(?:[^"\\]|\\.)*"),"properties":\{)(?!"distinct_id")/
const V1_ENDING = ',"options":{"disable_skew_correction":true}}'

/** What an import adds to an event's properties. */
const ADDED =
  /^,"\$geoip_disable":true,"\$import_job_id":"[\da-f-]{36}","\$lib":"posthaul","\$lib_version":"[^"]+","analytics_source":"posthog"\}\}$/

type Count = 'read' | 'written' | 'rejected' | 'filtered' | 'duplicate' | 'pending'

export interface Judged {
  readonly service: Service
  readonly rejectsFile: string
  /** Of the last run, which need not have finished. */
  readonly summary: Summary
  /** No 60 s of the program's clock may hold more events than this. */
  readonly perMinute?: number
  /** How many times as fast as the service's clock the program's runs: see fast-clock.mjs. */
  readonly speed?: number
}

/** Knows each event that was made, and holds what a service received and a run said against it. */
export class Oracle {
  readonly minted: ReadonlyMap<string, MintedEvent>

  constructor(minted: readonly MintedEvent[]) {
    this.minted = new Map(minted.map((event) => [event.uuid, event]))
  }

  /** Fails the test if an event was lost, doubled, bent or made up, came out of order, or if a cap was passed. */
  judge({ service, rejectsFile, summary, perMinute, speed = 1 }: Judged): void {
    const { requests } = service
    expect(service.faults, 'the service could read all requests').toEqual([])
    this.#expectOwnBytes(requests)
    expectResends(requests)
    const stored = this.#storedInOrder(requests)
    const acknowledged = new Set(
      requests.filter(isAcknowledged).flatMap(({ kept }) => kept.map(({ uuid }) => uuid)),
    )
    const rejected = this.rejectedIn(rejectsFile)
    for (const uuid of acknowledged) {
      expect(stored.has(uuid), `${uuid} is acknowledged, so it is stored`).toBe(true)
      expect(rejected.has(uuid), `${uuid} is acknowledged, so it is no reject`).toBe(false)
    }
    const { counts, finished, conserved } = summary
    expect(conserved).toBe(true)
    expect(counts.read).toBe(
      counts.written + counts.rejected + counts.filtered + counts.duplicate + counts.pending,
    )
    expect(counts.rejected, 'each reject is one line').toBe(rejected.size)
    expect(counts.written, 'no more is written than was acknowledged').toBeLessThanOrEqual(acknowledged.size)
    expect(counts.read, 'no more is read than there is').toBeLessThanOrEqual(this.minted.size)
    if (finished) {
      expect([counts.pending, counts.filtered, counts.duplicate]).toEqual([0, 0, 0])
      expect(counts.written).toBe(acknowledged.size)
      for (const uuid of this.minted.keys()) {
        expect(acknowledged.has(uuid) || rejected.has(uuid), `${uuid} is stored or a reject`).toBe(true)
      }
    }
    if (perMinute !== undefined) {
      expect(busiestMinute(requests, speed), 'events in a minute').toBeLessThanOrEqual(perMinute)
    }
  }

  /** The events of the rejects file. Fails the test if one is there twice, or isn't an event in its very bytes. */
  rejectedIn(path: string): Set<string> {
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : ['']
    expect(lines.pop(), 'the last reject has its line end').toBe('')
    const uuids = lines.map((line) => {
      const { record } = JSON.parse(line) as { record: string }
      const { uuid } = JSON.parse(record) as { uuid: string }
      expect(record, 'a reject holds the line as it was').toBe(this.minted.get(uuid)?.line)
      return uuid
    })
    const once = new Set(uuids)
    expect(once.size, 'no reject is there twice').toBe(uuids.length)
    return once
  }

  /**
   * Whatever is sent is an event that was made, in its very bytes but for the properties that each import adds behind
   * its own. An event that is sent again has the same bytes. The envelope is that of history.
   */
  #expectOwnBytes(requests: readonly Received[]): void {
    const seen = new Map<string, Buffer>()
    for (const { n, method, path, isV1, whole, body, events } of requests) {
      expect([method, path], `request ${n}`).toEqual(['POST', isV1 ? V1_PATH : '/batch/'])
      if (!whole) continue
      expect(body.toString('latin1'), `request ${n}`).toMatch(isV1 ? V1_ENVELOPE : ENVELOPE)
      for (const { uuid, bytes } of events) {
        const line = this.minted.get(uuid)?.line.slice(0, -2) ?? 'never made'
        const sent = bytes.toString()
        const text = isV1 ? lineOf(sent) : sent
        expect(text.slice(0, line.length), `request ${n}`).toBe(line)
        expect(text.slice(line.length), `request ${n}`).toMatch(ADDED)
        const before = seen.get(uuid)
        if (before) expect(bytes.equals(before), `${uuid} has the same bytes again`).toBe(true)
        else seen.set(uuid, bytes)
      }
    }
  }

  /** The uuids that were stored. The events of a distinct_id were first stored in the order in which they were made. */
  #storedInOrder(requests: readonly Received[]): Set<string> {
    const stored = new Set<string>()
    const last = new Map<string, number>()
    const late = new Set<string>()
    for (const request of requests) {
      for (const [uuid, word] of request.words ?? []) if (!isKept(word)) late.add(uuid)
      for (const { uuid, distinctId } of request.kept) {
        if (stored.has(uuid)) continue
        stored.add(uuid)
        const { n } = this.minted.get(uuid)!
        // The service itself let others go first.
        if (late.has(uuid)) continue
        expect(n, `${distinctId} is in order`).toBeGreaterThan(last.get(distinctId) ?? -1)
        last.set(distinctId, n)
      }
    }
    return stored
  }
}

/** The event line of an event in the form of Capture V1, which has its distinct_id at the top alone. */
function lineOf(form: string): string {
  expect(form.slice(-V1_ENDING.length)).toBe(V1_ENDING)
  expect(form).toMatch(V1_HEAD)
  return `${form.slice(0, -V1_ENDING.length)}}`.replace(V1_HEAD, '$1"distinct_id":$2,')
}

/** Requests of Capture V1 with one id are one request: its attempts count up, and it is as old as the first of them. */
function expectResends(requests: readonly Received[]): void {
  const last = new Map<string, { attempt: number; createdAt: string }>()
  for (const { n, isV1, whole, headers, body } of requests) {
    if (!isV1) continue
    const id = headers['posthog-request-id']!
    const before = last.get(id)
    const attempt = Number(headers['posthog-attempt'])
    expect(attempt, `request ${n} is the next attempt`).toBe((before?.attempt ?? 0) + 1)
    const createdAt = whole ? body.toString('latin1', 0, 40) : (before?.createdAt ?? '')
    if (before?.createdAt && whole) expect(createdAt, `request ${n}`).toBe(before.createdAt)
    last.set(id, { attempt, createdAt })
  }
}

/** The service kept the events and said so, and the client may have read it. */
function isAcknowledged({ stored, acknowledges, reply }: Received): boolean {
  return stored && acknowledges && (reply === 'written' || reply === 'read')
}

/** The most events that were sent in any 60 s of a clock that runs `speed` times as fast as the service's. */
function busiestMinute(requests: readonly Received[], speed = 1): number {
  const minute = 60_000 / speed
  let [first, sum, most] = [0, 0, 0]
  for (const { mono, events } of requests) {
    sum += events.length
    while (requests[first]!.mono < mono - minute) sum -= requests[first++]!.events.length
    most = Math.max(most, sum)
  }
  return most
}
