import { uuidShare } from '../../src/checks/event-set.ts'
import type { ServiceEvents } from '../../src/checks/service-view.ts'
import type { InputCell, VerifyInput } from '../../src/checks/verify-input.ts'
import { Fingerprint } from '../../src/record/fingerprint.ts'
import { readHead } from '../../src/record/head.ts'
import { parseTime } from '../../src/record/time.ts'
import type { ArrivedCell } from '../../src/service/arrived.ts'
import type { ArrivedValues } from '../../src/service/arrived-events.ts'
import { eventLine, type TestEvent } from './events.ts'

/** Events as cells by day and name, each once by uuid, name and person; those with several times are counted besides. */
function cellsOf(events: readonly TestEvent[]): ArrivedCell[] {
  const cells = new Map<string, ArrivedCell>()
  const seen = new Map<string, Set<string>>()
  for (const { uuid, event, distinct_id, timestamp } of events) {
    const day = timestamp.slice(0, 10)
    const key = `${day} ${event}`
    const cell = cells.get(key) ?? { day, event, events: new Fingerprint() }
    const times = seen.get(`${key} ${uuid} ${distinct_id}`) ?? new Set()
    seen.set(`${key} ${uuid} ${distinct_id}`, times.add(timestamp))
    if (times.size === 1) cell.events.addTexts(uuid, distinct_id, event, parseTime(timestamp))
    const more = (cell.doubled?.more ?? 0) + 1
    const [first = '', last = ''] = [...times].sort()
    cells.set(
      key,
      times.size === 1 ? cell : { ...cell, doubled: { more, example: { uuid, times: [first, last] } } },
    )
  }
  return [...cells.values()].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
}

/** What an input says of its cells. */
export function inCells(cells: readonly InputCell[]): Pick<VerifyInput, 'sums' | 'readDays'> {
  const days = new Map<string, number>()
  for (const { day, events } of cells) days.set(day, (days.get(day) ?? 0) + events.count)
  const whole = new Set(cells.filter(({ event }) => event === null).map(({ day }) => day))
  return {
    sums: { events: [...days.values()].reduce((a, b) => a + b, 0), days, wholeDays: whole.size, merges: 0 },
    readDays: async function* () {
      for (const day of days.keys()) yield { day, cells: cells.filter((cell) => cell.day === day) }
    },
  }
}

/** All that is yielded. */
export async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

/** All cells of an input. */
export async function cellsIn(input: VerifyInput): Promise<readonly InputCell[]> {
  return (await listOf(input.readDays())).flatMap(({ cells }) => cells)
}

/** An input that holds these events. */
export function inputOf(events: readonly TestEvent[], more: Partial<VerifyInput> = {}): VerifyInput {
  return {
    paths: ['events'],
    ...inCells(cellsOf(events)),
    importIds: null,
    distinctIds: null,
    groupTypes: {},
    sha256: JSON.stringify(events),
    unreadable: new Map(),
    byDay: true,
    async read(days, each, between) {
      for (const event of events) {
        if (!days.has(event.timestamp.slice(0, 10))) continue
        const line = Buffer.from(eventLine(event))
        each(line, readHead(line, 0, line.length)!)
        await between()
      }
    },
    ...more,
  }
}

/** A service that holds these events, in pages of three. */
export function serviceOf(events: readonly TestEvent[]): ServiceEvents & { asked: string[] } {
  const asked: string[] = []
  const found = (event: TestEvent): ArrivedValues & { instant: number } => ({
    instant: parseTime(event.timestamp),
    uuid: event.uuid,
    event: event.event,
    distinctId: event.distinct_id,
    timestamp: event.timestamp.replace('T', ' ').slice(0, 26),
    properties: JSON.stringify({ distinct_id: event.distinct_id, ...event.properties }),
    elementsChain: '',
    ageDays: 0,
  })
  return {
    asked,
    async *cells({ first, last, whole }) {
      asked.push(`cells ${first} ${last}`)
      const inWindow = events.filter(({ timestamp }) => timestamp >= first && timestamp.slice(0, 10) <= last)
      const cells = cellsOf(inWindow)
      yield* whole ? cells.map((cell) => ({ ...cell, event: null })) : cells
    },
    hasUnreadable: async () => {
      asked.push('unreadable')
      return false
    },
    hasName: async (name) => events.some(({ event }) => event === name),
    async *ids({ first: day, names, share }) {
      asked.push(`ids ${day}`)
      const ids = events
        .filter(({ timestamp, event }) => timestamp.startsWith(day) && (names?.includes(event) ?? true))
        .filter(({ uuid }) => uuidShare(Buffer.from(uuid), 0, share!.of) === share!.part)
        .map(found)
      for (let at = 0; at < ids.length; at += 3) yield ids.slice(at, at + 3)
    },
    async events(first, last, uuids) {
      asked.push(`events ${first} ${last}`)
      return events
        .filter(
          ({ timestamp, uuid }) =>
            timestamp >= first && timestamp.slice(0, 10) <= last && uuids.includes(uuid),
        )
        .map(found)
    },
  }
}
