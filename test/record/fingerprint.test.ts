import { expect, test } from 'vitest'
import { Fingerprint, type FingerprintText } from '../../src/record/fingerprint.ts'
import { readHead } from '../../src/record/head.ts'
import { parseTime } from '../../src/record/time.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'

type Event = readonly [uuid: string, distinctId: string, event: string, time: string]

const EVENTS: readonly Event[] = [
  ['018cc251-f400-7abc-8def-0123456789ab', 'u1', '$pageview', '2024-03-01T12:34:56.789123Z'],
  [
    'ffffffff-ffff-4fff-bfff-ffffffffffff',
    'zoë@example.com',
    '$groupidentify',
    '1999-12-31T23:59:59.999999Z',
  ],
  [
    '00000000-0000-5000-8000-000000000001',
    `a very long distinct id: ${'0123456789'.repeat(9)}`,
    'Größe gewählt',
    '2024-03-01T00:00:00.000000Z',
  ],
]
// Computed by ClickHouse 26.7 with the expressions of the docstring.
const TEXT: FingerprintText = {
  xor: ['18217553433409174766', '3625321899209792271', '6596853966704302418'],
  sum: ['4855460546615616270', '14823709017670673073', '11920824163526811852'],
}

function of(...events: readonly Event[]): Fingerprint {
  const fingerprint = new Fingerprint()
  for (const [uuid, id, event, time] of events) fingerprint.addTexts(uuid, id, event, parseTime(time))
  return fingerprint
}

/** The first event with another value. */
function bent(at: number, value: string): Event[] {
  const [first, ...others] = EVENTS
  return [first!.with(at, value) as unknown as Event, ...others]
}

test('is what a real ClickHouse computes', () => {
  expect(of(...EVENTS).text).toEqual(TEXT)
  expect(of(...EVENTS).count).toBe(3)
})

test('does not depend on the order, adds up over parts of the set, and comes back from its text', () => {
  const [a, b, c] = EVENTS as [Event, Event, Event]
  expect(of(c, a, b).text).toEqual(TEXT)
  const whole = of(b)
  whole.merge(of(a, c))
  expect([whole.count, whole.text]).toEqual([3, TEXT])
  const again = Fingerprint.of(2, of(a, b).text)
  again.merge(of(c))
  expect([again.count, again.text]).toEqual([3, TEXT])
  expect(new Fingerprint().text).toEqual({ xor: ['0', '0', '0'], sum: ['0', '0', '0'] })
})

test.each([
  ['the same', EVENTS, 'same'],
  ['another person', bent(1, 'u2'), 'different'],
  ['another name', bent(2, '$pageleave'), 'different'],
  ['another uuid', bent(0, '018cc251-f400-7abc-8def-0123456789ac'), 'different'],
  ['another microsecond', bent(3, '2024-03-01T12:34:56.789124Z'), 'to_the_millisecond'],
  ['another millisecond', bent(3, '2024-03-01T12:34:56.788123Z'), 'but_for_times'],
  ['one lost', EVENTS.slice(1), 'different'],
  ['one twice', [...EVENTS, EVENTS[0]!], 'different'],
  ['one in the place of another', [EVENTS[0]!, EVENTS[0]!, EVENTS[2]!], 'different'],
  [
    'the other name of group events',
    [EVENTS[0]!, EVENTS[1]!.with(2, '$group_identify') as never, EVENTS[2]!],
    'same',
  ],
] as const)('%s', (_, events, likeness) => {
  expect(of(...EVENTS).likeness(of(...events))).toBe(likeness)
})

test('two events that have changed persons, names or times with each other are others', () => {
  const [a, b] = EVENTS as [Event, Event, Event]
  for (const at of [1, 2, 3]) {
    const swapped = [a.with(at, b[at]!), b.with(at, a[at]!)] as unknown as Event[]
    expect(of(a, b).likeness(of(...swapped))).toBe(at === 3 ? 'but_for_times' : 'different')
  }
})

test('of an event line it is the same as of its values, however they are written', () => {
  const event = { ...makeEvent(1), distinct_id: 'a "quoted" id \u00e9\n', event: 'a\\b' }
  const line = Buffer.from(eventLine(event))
  const own = new Fingerprint()
  own.addLine(line, readHead(line, 0, line.length)!)
  expect(own.text).toEqual(of([event.uuid, event.distinct_id, event.event, event.timestamp]).text)
})

test.each(['-1', '18446744073709551616', 'x'])('refuses %s as a print', (print) => {
  expect(() => Fingerprint.of(1, { ...TEXT, xor: [print, '0', '0'] })).toThrow()
})
