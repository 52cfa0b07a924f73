import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InputFile } from '../../src/inputs/input-file.ts'
import { listInputs } from '../../src/inputs/list.ts'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { Engine } from '../../src/pipeline/engine.ts'
import { RecordLoop } from '../../src/pipeline/loop.ts'
import { mixpanel } from '../../src/presets/mixpanel.ts'
import { identifyUuid } from '../../src/transform/generate.ts'
import type { TestEvent } from './events.ts'
import { testFolder } from './folder.ts'

const MAPPING = `
preset: mixpanel
events:
  rename: { Signed Up: user signed up }
  drop: [heartbeat]
properties:
  rename: { Plan: plan }
`
const DAY = 86_400_000

/** Final names of the properties. */
export const PROPERTIES = ['plan', 'price']

/** The names that Mixpanel knows what the mapping renames by. */
export const NAMES = {
  events: (final: string | null) =>
    final === 'user signed up' ? ['Signed Up'] : final === null ? [] : [final],
  property: (final: string) => (final === 'plan' ? 'Plan' : final),
}

/** A record of Mixpanel's export. */
export interface RawRecord {
  readonly event: string
  readonly properties: Readonly<Record<string, unknown>> & { readonly time: number }
}

/**
 * Records of a month: a tenth dropped by the mapping, some rejected, some renamed, visitors who become users, copies that
 * Mixpanel leaves out too, copies that only posthaul does, and twins that neither does.
 */
export function rawRecords(count: number, random: () => number, start: number): RawRecord[] {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const records: RawRecord[] = []
  for (let n = 0; n < count; n++) {
    const person = Math.floor(random() * 15)
    const isKnown = random() < 0.5
    const time = Math.floor((start + random() * 30 * DAY) / 1000)
    const record = {
      event: pick(['View', 'View', 'Signed Up', 'Paid', 'heartbeat']),
      properties: {
        time,
        distinct_id: isKnown ? `user-${person}` : `$device:device-${person}`,
        $device_id: `device-${person}`,
        ...(isKnown && { $user_id: `user-${person}` }),
        ...(random() < 0.9 && { $insert_id: `insert-${n}` }),
        Plan: pick(['free', 'pro', null]),
        price: pick([1, 2.5, '7']),
      },
    }
    records.push(random() < 0.05 ? rejected(record) : record)
    if (random() < 0.1) records.push(record)
    // Mixpanel tells it from the first by its time; the service has one event of an id on a day.
    const isSameDay = Math.floor(time / 86_400) === Math.floor((time + 1) / 86_400)
    if (isSameDay && random() < 0.1)
      records.push({ ...record, properties: { ...record.properties, time: time + 1 } })
  }
  return records
}

function rejected({ event, properties }: RawRecord): RawRecord {
  return {
    event,
    properties: { ...properties, distinct_id: 'undefined', $device_id: '', $user_id: '' },
  }
}

/** As Mixpanel's own charts see it: records of one id and time are one, and a device is someone else than its user. */
export function seenByMixpanel(records: readonly RawRecord[]): TestEvent[] {
  const once = new Map<string, RawRecord>()
  for (const [n, record] of records.entries()) {
    const { time, distinct_id, $insert_id } = record.properties
    const key = $insert_id === undefined ? n : [record.event, time, distinct_id, $insert_id]
    if (!once.has(JSON.stringify(key))) once.set(JSON.stringify(key), record)
  }
  return [...once.values()].map(({ event, properties: { time, Plan, price, distinct_id } }, n) => ({
    uuid: `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
    event: event === 'Signed Up' ? 'user signed up' : event,
    distinct_id: String(distinct_id),
    timestamp: `${new Date(time * 1000).toISOString().slice(0, 23)}000Z`,
    properties: { plan: Plan, price },
  }))
}

/** What maps them, as a transform would. `zone`: of a project that stores its wall clock. */
export function comparedEngine(zone?: string): Engine {
  const settings = zone === undefined ? MAPPING : `${MAPPING}source_timezone: ${zone}\n`
  const { mapping } = parseMapping(settings, 'mapping.yaml')
  return new Engine(mixpanel, mapping, {
    now: Date.UTC(2026, 0, 1) * 1000,
    version: '1.2.3',
    switches: new Set(),
    groupEventName: '$groupidentify',
    importId: null,
  })
}

export async function comparedInputs(records: readonly RawRecord[]): Promise<InputFile[]> {
  const folder = testFolder()
  writeFileSync(join(folder, 'raw.ndjson'), records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return listInputs([folder])
}

/** The events that a transform makes of records, in the order of its parts. */
export function eventsOf(records: readonly RawRecord[], zone?: string): TestEvent[] {
  const events = new Map<string, TestEvent>()
  const links = new Map<string, TestEvent>()
  const loop = new RecordLoop(comparedEngine(zone), {
    take(outcome) {
      if (outcome.status === 'rejected') return
      const { link } = outcome
      const instant = outcome.status === 'event' ? outcome.instant : (outcome.link?.instant ?? 0)
      if (link && !links.has(link.anonymous.text)) {
        const [user, anonymous] = [link.user.text, link.anonymous.text]
        const timestamp = `${new Date(instant / 1000).toISOString().slice(0, 23)}000Z`
        links.set(anonymous, {
          uuid: identifyUuid(user, anonymous),
          event: '$identify',
          distinct_id: user,
          timestamp,
          properties: { $anon_distinct_id: anonymous },
        })
      }
      if (outcome.status !== 'event') return
      const event: TestEvent = JSON.parse(outcome.text)
      const key = [event.uuid, event.event, event.distinct_id, event.timestamp.slice(0, 10)]
      const place = JSON.stringify(outcome.ownId ? key : [...key, events.size])
      if (!events.has(place)) events.set(place, event)
    },
  })
  for (const record of records) loop.give(Buffer.from(JSON.stringify(record)))
  return [...links.values(), ...events.values()].sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1))
}
