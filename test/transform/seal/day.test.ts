import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ByteWriter } from '../../../src/record/byte-writer.ts'
import { writeEvent } from '../../../src/record/head.ts'
import { Members } from '../../../src/record/members.ts'
import { formatInstant } from '../../../src/record/time.ts'
import { POSTHAUL_NAMESPACE, uuidV5, uuidWords } from '../../../src/record/uuid.ts'
import { LocalStore } from '../../../src/store/local.ts'
import { MICROS_PER_DAY } from '../../../src/text/units.ts'
import { KINDS, type LineKind } from '../../../src/transform/run/frame.ts'
import { RunWriter } from '../../../src/transform/run/writer.ts'
import { type SealedDay, type SealOptions, sealDay } from '../../../src/transform/seal/day.ts'
import { testFolder } from '../../helpers/folder.ts'
import { MemoryStore } from '../../helpers/memory-store.ts'
import { seeded, seedOf, shuffled } from '../../helpers/random.ts'

const seed = seedOf('seal')
const DAY = 19_783
const START = DAY * MICROS_PER_DAY

interface Line {
  readonly uuid: string
  readonly instant: number
  readonly event: string
  readonly distinctId: string
  readonly seq: number
  readonly kind: LineKind
}

const id = (n: number | string) => uuidV5(POSTHAUL_NAMESPACE, String(n))
/** An event with an id of its own. */
const own = (seq: number, instant: number, more: Partial<Line> = {}): Line => ({
  ...{ uuid: id(seq), instant, event: 'E', distinctId: 'u', seq, kind: KINDS.own, ...more },
})

function textOf({ uuid, instant, event, distinctId }: Line): string {
  const writer = new ByteWriter()
  writeEvent(writer, { uuid: uuidWords(uuid), instant, event, distinctId, properties: new Members() })
  return writer.bytes.toString('utf8', 0, writer.length)
}

/** Seals lines that arrive in runs of some size, in the order given. */
async function seal(lines: readonly Line[], runOf = 1e9, options: Partial<SealOptions> = {}) {
  const [folder, out] = [testFolder(), testFolder()]
  const writer = new RunWriter(folder, 'unit')
  for (const [i, line] of lines.entries()) {
    writer.lines.utf8(textOf(line))
    writer.add(line.instant, line.seq, line.kind)
    if ((i + 1) % runOf === 0) writer.flush()
  }
  writer.flush()
  const sealed = await sealDay(DAY, writer.segments, {
    folder,
    store: new LocalStore(out),
    gzip: false,
    ...options,
  })
  const bytes = sealed.parts.map(({ file }) => readFileSync(join(out, file)))
  expect(readdirSync(out).sort()).toEqual(sealed.parts.map(({ file }) => file).sort())
  expectTrue(sealed, bytes)
  return { sealed, events: bytes.flatMap(linesOf) }
}

function linesOf(bytes: Buffer): string[] {
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8')
  expect(text.endsWith('\n')).toBe(true)
  return text.slice(0, -1).split('\n')
}

/** What the manifest will say of each part is so. */
function expectTrue({ parts, names, written, generated }: SealedDay, bytes: readonly Buffer[]): void {
  for (const [i, part] of parts.entries()) {
    const lines = linesOf(bytes[i]!)
    const times = lines.map((line) => (JSON.parse(line) as { timestamp: string }).timestamp)
    expect(part).toEqual({
      file: part.file,
      day: '2024-03-01',
      events: lines.length,
      bytes: bytes[i]!.length,
      sha256: createHash('sha256').update(bytes[i]!).digest('hex'),
      first: times[0],
      last: times.at(-1),
    })
  }
  const tally: Record<string, number> = Object.create(null)
  for (const line of bytes.flatMap(linesOf)) {
    const { event } = JSON.parse(line) as { event: string }
    tally[event] = (tally[event] ?? 0) + 1
  }
  expect(Object.entries(names).sort()).toEqual(Object.entries(tally).sort())
  expect(written + generated).toBe(bytes.flatMap(linesOf).length)
}

/** What sealing means, said plainly. */
function model(lines: readonly Line[]) {
  const records = new Map<string, number>()
  const written = new Map<string, { readonly isContent: boolean; readonly text: string }>()
  const counts = { written: 0, generated: 0, duplicate: 0, unlike: 0 }
  const events: string[] = []
  for (const line of [...lines].sort((a, b) => a.instant - b.instant || a.seq - b.seq || a.kind - b.kind)) {
    const [isContent, text] = [line.kind === KINDS.content, textOf(line)]
    const keyOf = (uuid: string) => JSON.stringify([uuid, line.event, line.distinctId])
    const before = isContent ? (records.get(keyOf(line.uuid)) ?? 0) : 0
    if (isContent) records.set(keyOf(line.uuid), before + 1)
    const uuid = before > 0 ? id(`${line.uuid}:${before}`) : line.uuid
    const key = keyOf(uuid)
    const first = written.get(key)
    // A record may come with the uuid that one without an id is given, also as a twin.
    if (first) {
      if (line.kind >= KINDS.own) counts.duplicate++
      if (line.kind === KINDS.own && !first.isContent && first.text !== text) counts.unlike++
      continue
    }
    written.set(key, { isContent, text })
    events.push(textOf({ ...line, uuid }))
    counts[line.kind < KINDS.own ? 'generated' : 'written']++
  }
  return { events, counts }
}

function randomLines(count: number, random: () => number): Line[] {
  return Array.from({ length: count }, (_, seq) => {
    const kind = ([KINDS.own, KINDS.own, KINDS.own, KINDS.content, KINDS.identify, KINDS.group] as const)[
      Math.floor(random() * 6)
    ]!
    const n = Math.floor(random() * count)
    // A record without an id has one made from its content: twins agree in everything.
    const uuid = id(`content ${n % 20}`)
    return kind === KINDS.content || random() < 0.2
      ? own(seq, START + (n % 20), {
          ...{ uuid: kind === KINDS.content || n % 3 === 0 ? uuid : id(`${uuid}:${n % 3}`) },
          ...{ event: 'twin', kind },
        })
      : own(seq, START + Math.floor(random() * 50) * 1_000_000, {
          uuid: id(`${kind} ${n}`),
          event: random() < 0.8 ? 'é"E"' : 'F',
          distinctId: random() < 0.8 ? 'u1' : 'u2',
          kind,
        })
  })
}

test('a day is what the model says: sorted, without duplicates, twins told apart', async () => {
  const random = seeded(seed)
  for (const [count, runOf] of [
    [1, 1],
    [40, 7],
    [800, 1e9],
    [800, 90],
  ] as const) {
    const lines = randomLines(count, random)
    const { events, counts } = model(lines)
    const { sealed, events: found } = await seal(lines, runOf)
    expect(found).toEqual(events)
    expect(sealed).toMatchObject(counts)
    const read = lines.filter(({ kind }) => kind >= KINDS.own).length
    expect(sealed.written + sealed.duplicate).toBe(read)
  }
})

test.each([1, 2, 10, 100, 399, 400])('passes of %i events give what one pass gives', async (passEvents) => {
  const lines = randomLines(400, seeded(seed + 1))
  const { events, counts } = model(lines)
  const { sealed, events: found } = await seal(lines, 60, { passEvents })
  expect(found).toEqual(events)
  expect(sealed).toMatchObject(counts)
})

test.each([
  // A pass for each event reads all of it each time.
  [1, 250],
  [100, 800],
  [1500, 800],
  [2000, 800],
])(
  'what an earlier dataset has of the day is left out, whatever else it says, in passes of %i events',
  async (passEvents, size) => {
    const random = seeded(seed + 7)
    const lines = randomLines(size, random)
    const { events, counts } = model(lines)
    const uuidOf = (text: string) => JSON.parse(text).uuid as string
    // Twins are known each by its own uuid, and the earlier event may have another name.
    const known = new Set(events.filter(() => random() < 0.4).map(uuidOf))
    const location = testFolder()
    const folder = testFolder()
    const writer = new RunWriter(folder, 'earlier')
    for (const [seq, uuid] of [...known].entries()) {
      writer.lines.utf8(textOf(own(seq, START + seq, { uuid, event: 'before', distinctId: 'x' })))
      writer.add(START + seq, seq, KINDS.own)
    }
    writer.flush()
    const before = await sealDay(DAY, writer.segments, {
      folder,
      store: new LocalStore(location),
      gzip: true,
    })
    const { sealed, events: found } = await seal(lines, 90, {
      passEvents,
      known: before.parts.map((part) => ({ location, part })),
    })
    expect(found).toEqual(events.filter((text) => !known.has(uuidOf(text))))
    const { written, duplicate, earlier } = sealed
    expect(duplicate).toBe(counts.duplicate)
    expect(earlier).toBeGreaterThan(size / 16)
    expect(written + earlier).toBe(counts.written)
  },
)

test('passes hold where all events share one uuid', async () => {
  const lines = randomLines(300, seeded(seed + 5)).map((line, n) => ({
    ...line,
    uuid: id(0),
    distinctId: `u${n % 200}`,
  }))
  const { sealed, events } = await seal(lines, 50, { passEvents: 10 })
  expect({ events, ...sealed }).toMatchObject({ events: model(lines).events, ...model(lines).counts })
})

test('events come out the same whatever runs they were in, and whatever order the twins came in', async () => {
  const random = seeded(seed + 2)
  const lines = randomLines(300, random)
  // Another order of arrival is another seq; without equal instants and with no duplicates that changes nothing.
  const apart = lines.map((line, n) =>
    line.kind === KINDS.content ? line : { ...line, uuid: id(n), instant: START + 1000 + n },
  )
  const first = await seal(apart)
  const second = await seal(
    shuffled(apart, random).map((line, seq) => ({ ...line, seq })),
    17,
  )
  expect(second.events).toEqual(first.events)
  expect(new Set(first.events.map((line) => JSON.parse(line).uuid)).size).toBe(300)
})

describe('an event is a duplicate', () => {
  const line = own(0, START + 5, { uuid: id(1) })
  test.each<[string, Partial<Line>, number]>([
    ['of one with its uuid, event and distinct_id, at whatever time of the day', { instant: START + 9 }, 1],
    ['of none with another uuid', { uuid: id(2) }, 0],
    ['of none with another event', { event: 'F' }, 0],
    ['of none with another distinct_id', { distinctId: 'v' }, 0],
    [
      'of none where the same letters are split another way',
      { event: 'E","distinct_id":"u', distinctId: '' },
      0,
    ],
  ])('%s', async (_, other, duplicate) => {
    const { sealed, events } = await seal([line, { ...line, seq: 1, ...other }])
    expect(sealed).toMatchObject({ duplicate, written: 2 - duplicate })
    expect(events[0]).toBe(textOf(line))
  })
})

test('events generated from a record come before its own event', async () => {
  const line = (event: string, kind: LineKind, seq = 3) =>
    own(seq, START + 5, { uuid: id(event), event, kind })
  const lines = [
    ...[line('own', KINDS.own), line('group', KINDS.group), line('identify', KINDS.identify)],
    line('before', KINDS.own, 2),
  ]
  const { events } = await seal(lines, 1)
  expect(events.map((line) => JSON.parse(line).event)).toEqual(['before', 'identify', 'group', 'own'])
})

test('a large day is cut into parts that follow one another', async () => {
  const lines = randomLines(500, seeded(seed + 3))
  const { events } = model(lines)
  const { sealed, events: found } = await seal(lines, 100, { partBytes: 10_000 })
  expect(sealed.parts.map(({ file }) => file)).toEqual(
    sealed.parts.map((_, i) => (i === 0 ? '2024-03-01.ndjson' : `2024-03-01.000${i}.ndjson`)),
  )
  expect(sealed.parts.length).toBeGreaterThan(3)
  expect(sealed.parts.length).toBeLessThan(10)
  expect(found).toEqual(events)
})

test('gzip parts unpack to the same lines', async () => {
  const lines = randomLines(300, seeded(seed + 4))
  const plain = await seal(lines)
  const packed = await seal(lines, 70, { gzip: true, partBytes: 8000 })
  expect(packed.events).toEqual(plain.events)
  expect(packed.sealed.parts[1]!.file).toBe('2024-03-01.0001.ndjson.gz')
})

test('times keep their microseconds from run to part', async () => {
  const lines = [0, 1, 999_999, MICROS_PER_DAY - 1].map((micros, seq) => own(seq, START + micros))
  const { sealed } = await seal(lines)
  expect(sealed.parts[0]).toMatchObject({ first: formatInstant(START), last: '2024-03-01T23:59:59.999999Z' })
})

test('a run that changed while it was read is an error to run again, wherever the bit flipped, and no bug', async () => {
  const folder = testFolder()
  const writer = new RunWriter(folder, 'unit')
  for (let seq = 0; seq < 6; seq++) {
    const line = own(seq, START + seq, { uuid: id(seq % 5) })
    writer.lines.utf8(textOf(line))
    writer.add(line.instant, seq, line.kind)
  }
  writer.flush()
  const path = join(folder, writer.segments[0]!.file)
  const whole = readFileSync(path)
  const sealed = async (bytes: Buffer) => {
    writeFileSync(path, bytes)
    return sealDay(DAY, writer.segments, { folder, store: new MemoryStore(), gzip: false })
  }
  // The last event is not written: its line must be as it was all the same.
  for (let at = 0; at < whole.length; at++) {
    const bent = Buffer.from(whole)
    bent[at]! ^= 1 << (at % 8)
    await expect(sealed(bent), `bit ${at % 8} of byte ${at}`).rejects.toMatchObject({ code: 'unavailable' })
  }
  await expect(sealed(whole.subarray(0, -1))).rejects.toMatchObject({ code: 'unavailable' })
  expect((await sealed(whole)).written).toBe(5)

  // Whatever failed: bytes that are not as they were written are its cause, and else it is told as it is.
  const odd = new MemoryStore()
  odd.put = () => Promise.reject(new TypeError('odd'))
  const failed = (bytes: Buffer) => {
    writeFileSync(path, bytes)
    return sealDay(DAY, writer.segments, { folder, store: odd, gzip: false })
  }
  await expect(failed(whole)).rejects.toThrow('odd')
  const bent = Buffer.from(whole)
  bent[0]! ^= 1
  await expect(failed(bent)).rejects.toMatchObject({ code: 'unavailable' })
})
