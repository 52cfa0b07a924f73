import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fileInput } from '../../src/audit/file-input.ts'
import { survey } from '../../src/audit/survey.ts'
import { FileSource } from '../../src/delivery/file-source.ts'
import { FileLineReader } from '../../src/delivery/line-reader.ts'
import { inputOf } from '../helpers/audit.ts'
import { eventLine, identity, makeEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'
import { mapperForFiles } from '../helpers/mapper.ts'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'

const seed = seedOf('survey')

function optionsOf(lines: readonly string[]) {
  const path = join(testFolder(), 'events.ndjson')
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
  let passes = 0
  const open = async () => {
    passes++
    return { source: await FileSource.open(path), reader: new FileLineReader(mapperForFiles()) }
  }
  const options = { open, interrupted: new AbortController().signal, progress: () => undefined }
  return { options, passes: () => passes, bytes: Buffer.byteLength(lines.join('\n')) + 1 }
}

test('says of files what a manifest says of a dataset', async () => {
  const lines = [
    eventLine(makeEvent(0, { day: 2 })),
    eventLine(makeEvent(1, { day: 1 })),
    eventLine(makeEvent(1, { day: 1 })),
    eventLine({ ...makeEvent(2), event: '__proto__', properties: { $groups: { company: 'acme' } } }),
    eventLine({ ...makeEvent(3), properties: {} }).replace(
      '{"distinct_id"',
      '{"id":12345678901234567890,"distinct_id"',
    ),
    '{"event":"$performance_event","distinct_id":"u","timestamp":"2024-01-01T00:00:00Z"}',
    'not json',
  ]
  const { options, bytes } = optionsOf(lines)
  const { subject, inspection } = await survey(options, Date.UTC(2024, 0, 2) * 1000)
  expect(subject.parts).toEqual([{ bytes }])
  expect(Object.keys(subject.days)).toEqual(['2024-01-01', '2024-01-02'])
  expect(Object.values(subject.days)).toEqual([4, 1])
  expect(Object.entries(subject.names)).toEqual(
    expect.arrayContaining([
      ['signed up', 2],
      ['__proto__', 1],
      ['$pageview', 2],
    ]),
  )
  expect(subject.records).toEqual({ rejected: 1 })
  expect(subject.big_integers).toEqual({ id: 1 })
  expect([inspection.young, [...inspection.groupTypes]]).toEqual([1, [['company', 1]]])
})

describe('counts each event once, as the service does', () => {
  const roll = seeded(seed)
  // Some events are there twice; some share a uuid but differ in name, person or day.
  const events = Array.from({ length: 900 }, () => {
    const event = makeEvent(Math.floor(roll() * 120), { day: 1 + Math.floor(roll() * 3), ids: 2 })
    return roll() < 0.2
      ? { ...event, distinct_id: 'other' }
      : roll() < 0.2
        ? { ...event, event: 'other' }
        : event
  })
  const expected: Record<string, Record<string, number>> = {}
  for (const one of new Map(events.map((event) => [identity(event), event])).values()) {
    const name = one.timestamp.slice(0, 10)
    expected[name] ??= {}
    const day = expected[name]
    day[one.event] = (day[one.event] ?? 0) + 1
  }
  const once = [...new Map(events.map((event) => [identity(event), event])).values()]
  const fingerprints = inputOf(once)
    .cells.toSorted((a, b) => (`${a.day} ${a.event}` < `${b.day} ${b.event}` ? -1 : 1))
    .map((cell) => cell.events.text)
  test.each([
    [1_000_000, 1],
    [100, 10],
    [250, 5],
  ])('%i at once', async (passEvents, passes) => {
    const surveyed = optionsOf(events.map(eventLine))
    const { options: files } = surveyed
    const input = await fileInput({ paths: ['events.ndjson'], files, importId: 'ours', passEvents })
    expect(input.cells.map(({ day, event, events }) => [day, event, events.count])).toEqual(
      Object.entries(expected)
        .sort()
        .flatMap(([day, names]) =>
          Object.entries(names)
            .sort()
            .map(([event, count]) => [day, event, count]),
        ),
    )
    expect(input.cells.map(({ events }) => events.text)).toEqual(fingerprints)
    expect(surveyed.passes()).toBe(passes)
  })
})
