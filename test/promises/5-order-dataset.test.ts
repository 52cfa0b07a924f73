import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { history } from '../helpers/history.ts'
import { seeded, seedOf, shuffled } from '../helpers/random.ts'
import { readSoundDataset } from '../helpers/sound-dataset.ts'

const seed = seedOf('order of a dataset')

interface Event {
  readonly uuid: string
  readonly timestamp: string
  readonly event: string
  readonly distinct_id: string
  readonly properties: Record<string, unknown>
}

async function transform(lines: readonly string[], pieces: number): Promise<Event[]> {
  const folder = testFolder()
  const inputs = Array.from({ length: pieces }, (_, i) => {
    const path = join(folder, `in${i}.ndjson`)
    writeFileSync(path, `${lines.filter((_, n) => n % pieces === i).join('\n')}\n`)
    return path
  })
  const out = join(folder, 'out')
  await exits(3, runHosted(['transform', '--preset', 'amplitude', '--in', ...inputs, '--out', out]))
  return readSoundDataset(out).lines.map((line) => JSON.parse(line) as Event)
}

/** The places at which a condition holds that must not. */
function places(events: readonly Event[], isWrong: (event: Event, i: number) => boolean): string[] {
  return events.flatMap((event, i) =>
    isWrong(event, i) ? [`${i}: ${JSON.stringify(event).slice(0, 200)}`] : [],
  )
}

function expectOrder(events: readonly Event[]): void {
  // Parts are ordered by day, and each part is in time order. So the whole is in time order, and each person's events too.
  expect(places(events, ({ timestamp }, i) => i > 0 && timestamp < events[i - 1]!.timestamp)).toEqual([])

  // An $identify comes before the first event with both ids, and has the same time.
  const together = (event: Event) => `${event.distinct_id} ${event.properties.$amplitude_device_id}`
  const first = new Map<string, number>()
  for (const [i, event] of events.entries()) {
    const key = together(event)
    if (event.event !== '$identify' && !first.has(key)) first.set(key, i)
  }
  const identifies = events.filter(({ event }) => event === '$identify')
  expect(identifies.length).toBeGreaterThan(100)
  const late = places(events, ({ event, distinct_id, properties, timestamp }, i) => {
    if (event !== '$identify') return false
    const cause = first.get(`${distinct_id} ${properties.$anon_distinct_id}`)
    return cause === undefined || cause < i || events[cause]!.timestamp !== timestamp
  })
  expect(late).toEqual([])
  expect(new Set(identifies.map(({ properties }) => properties.$anon_distinct_id)).size).toBe(
    identifies.length,
  )

  // A group's properties come before the first event that names the group.
  const stated = new Set<unknown>()
  const early = places(events, ({ event, properties }) => {
    if (event === '$groupidentify') stated.add(properties.$group_key)
    const groups = properties.$groups as { company?: string } | undefined
    return groups?.company !== undefined && !stated.has(groups.company)
  })
  expect(early).toEqual([])
  expect(stated.size).toBe(50)
}

test('promise 5: a dataset is in order whatever order its input was in: days, time, causes after what they caused', async () => {
  const lines = [...history({ seed, bytes: 1_500_000, days: 12, people: 300 })].join('').trimEnd().split('\n')
  const random = seeded(seed)
  const asExported = await transform(lines, 1)
  expectOrder(asExported)
  const inPieces = await transform(lines, 4)
  expectOrder(inPieces)
  const inAnyOrder = await transform(shuffled(lines, random), 2)
  expectOrder(inAnyOrder)
  // Only the order of records at the same microsecond depends on the input.
  const sorted = (events: readonly Event[]) => events.map((event) => JSON.stringify(event)).sort()
  const own = (events: readonly Event[]) => sorted(events.filter(({ event }) => event !== '$groupidentify'))
  expect(own(inPieces)).toEqual(own(asExported))
  expect(own(inAnyOrder)).toEqual(own(asExported))
})

test('promise 5: events of one instant keep the order of their input', async () => {
  const lines = Array.from({ length: 3000 }, (_, n) =>
    JSON.stringify({
      event_type: `E${n}`,
      event_time: `2024-03-0${1 + (n % 3)} 12:00:00.000000`,
      user_id: `u${n % 5}`,
      uuid: `${n.toString(16).padStart(8, '0')}-304d-11e6-934f-22000b56058f`,
    }),
  )
  const days = [0, 1, 2]
  const all = lines.map((_, n) => n)
  const orderOf = async (pieces: number) =>
    (await transform([...lines, '{bad'], pieces)).map(({ event }) => Number(event.slice(1)))
  expect(await orderOf(1)).toEqual(days.flatMap((day) => all.filter((n) => n % 3 === day)))
  // Of four files: those of the first file come first. Each file is in a run of its own, and the runs are merged.
  const files = [0, 1, 2, 3]
  const ofFiles = days.flatMap((day) =>
    files.flatMap((file) => all.filter((n) => n % 3 === day && n % 4 === file)),
  )
  expect(await orderOf(4)).toEqual(ofFiles)
})
