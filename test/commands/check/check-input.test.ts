import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fileInput } from '../../../src/checks/file-input.ts'
import { survey } from '../../../src/commands/check/check-input.ts'
import { FileSource } from '../../../src/delivery/file-source.ts'
import { FileLineReader } from '../../../src/delivery/line-reader.ts'
import { Fingerprint } from '../../../src/record/fingerprint.ts'
import { cellsIn, inputOf } from '../../helpers/audit.ts'
import { eventLine, identity, makeEvent } from '../../helpers/events.ts'
import { testFolder } from '../../helpers/folder.ts'
import { mapperForFiles } from '../../helpers/mapper.ts'
import { seeded, seedOf } from '../../helpers/random.ts'

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
  const { subject, inspection } = await survey(options, {
    young: Date.UTC(2024, 0, 2) * 1000,
    types: new Map(),
    requests: { lanes: 2, limits: { events: 10, bytes: 1e6 } },
  })
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
  expect([inspection.young.count, [...inspection.groups]]).toEqual([
    1,
    [['company', expect.objectContaining({ named: 1 })]],
  ])
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
  const fingerprints = async () =>
    (await cellsIn(inputOf(once)))
      .toSorted((a, b) => (`${a.day} ${a.event}` < `${b.day} ${b.event}` ? -1 : 1))
      .map((cell) => cell.events.text)
  test.each([
    [1_000_000, 1],
    [100, 10],
    [250, 5],
  ])('%i at once', async (passEvents, passes) => {
    const surveyed = optionsOf(events.map(eventLine))
    const { options: files } = surveyed
    const input = await fileInput({ paths: ['events.ndjson'], files, importId: 'ours', passEvents })
    expect((await cellsIn(input)).map(({ day, event, events }) => [day, event, events.count])).toEqual(
      Object.entries(expected)
        .sort()
        .flatMap(([day, names]) =>
          Object.entries(names)
            .sort()
            .map(([event, count]) => [day, event, count]),
        ),
    )
    expect((await cellsIn(input)).map(({ events }) => events.text)).toEqual(await fingerprints())
    expect(surveyed.passes()).toBe(passes)
  })
})

describe('of too many names', () => {
  const events = Array.from({ length: 300 }, (_, n) => ({
    ...makeEvent(n, { day: 1 + (n % 3) }),
    event: n % 3 === 2 ? 'seen' : `name ${n}`,
  }))
  const lines = events.map(eventLine)

  test('verify tells those of the largest days apart no longer, and has all events', async () => {
    const { options: files } = optionsOf(lines)
    const input = await fileInput({ paths: ['events.ndjson'], files, importId: 'ours', mostCells: 150 })
    const cells = await cellsIn(input)
    const whole = cells.filter(({ event }) => event === null)
    expect([whole.length, input.sums.wholeDays, input.sums.events]).toEqual([2, 2, 300])
    for (const { day, events: found } of whole) {
      const ofDay = events.filter(({ timestamp }) => timestamp.startsWith(day))
      const plain = new Fingerprint()
      for (const cell of await cellsIn(inputOf(ofDay))) plain.merge(cell.events)
      expect([found.count, found.text]).toEqual([100, plain.text])
    }
    expect(cells.find(({ event }) => event === 'seen')!.events.count).toBe(100)
  })

  test('check has the sums of the first 10,000, and of the others together', async () => {
    // 25 names come twice.
    const many = Array.from({ length: 10_050 }, (_, n) =>
      eventLine({
        ...makeEvent(n),
        event: `name ${n % 10_025}`,
        properties: { [`big_${n % 10_025}`]: 0, $groups: { [`type ${n % 10_025}`]: 'a' } },
      }).replace(/("big_\d+"):0/, '$1:12345678901234567890'),
    )
    const { subject, inspection } = await survey(optionsOf(many).options, {
      young: 0,
      types: new Map(),
      requests: { lanes: 2, limits: { events: 10, bytes: 1e6 } },
    })
    const sums = Object.values(subject.names).reduce((sum, n) => sum + n, 0)
    expect([Object.keys(subject.names).length, sums + subject.other_names]).toEqual([10_000, 10_050])
    expect([subject.names['name 0'], subject.big_integers.big_0]).toEqual([2, 2])
    expect(Object.keys(subject.big_integers)).toHaveLength(10_001)
    expect(Object.values(subject.big_integers).reduce((sum, n) => sum + n, 0)).toBe(10_050)
    expect(inspection.groups.size).toBe(10_000)
  })
})
