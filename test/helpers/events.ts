import { type Head, readHead } from '../../src/record/head.ts'

/** An event of the service's own form, as a test writes it. */
export interface TestEvent {
  readonly uuid: string
  readonly event: string
  readonly distinct_id: string
  readonly timestamp: string
  readonly properties: Readonly<Record<string, unknown>>
}

/** The nth event: `day` of January 2024, second n of it, one of `ids` people. */
export function makeEvent(n: number, { day = 1, ids = 7 }: { day?: number; ids?: number } = {}): TestEvent {
  const second = n % 86_400
  const part = (value: number) => String(value).padStart(2, '0')
  const time = `${part(Math.floor(second / 3600))}:${part(Math.floor(second / 60) % 60)}:${part(second % 60)}`
  return {
    uuid: `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
    event: n % 3 === 0 ? '$pageview' : 'signed up',
    distinct_id: `user-${n % ids}`,
    timestamp: `2024-01-${part(day)}T${time}.000000Z`,
    properties: { n, note: 'grüße "quoted"' },
  }
}

/** The event as `transform` writes it. */
export function eventLine({ uuid, timestamp, event, distinct_id, properties }: TestEvent): string {
  return JSON.stringify({ uuid, timestamp, event, distinct_id, properties: { distinct_id, ...properties } })
}

/** An event line, or the line of an event, with its head: what those who look at events are given. */
export function headed(event: TestEvent | string): readonly [Buffer, Head] {
  const line = Buffer.from(typeof event === 'string' ? event : eventLine(event))
  return [line, readHead(line, 0, line.length)!]
}

/** The fields by which the service takes two sends for one event. */
export function identity({ uuid, event, distinct_id, timestamp }: TestEvent): string {
  return [uuid, event, distinct_id, timestamp.slice(0, 10)].join(' ')
}
