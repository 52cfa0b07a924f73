import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ByteWriter } from '../../src/record/byte-writer.ts'
import { headUuid, readHead, uuidOffset, writeEvent } from '../../src/record/head.ts'
import { keys } from '../../src/record/keys.ts'
import { Members } from '../../src/record/members.ts'
import { formatInstant } from '../../src/record/time.ts'
import { uuidWords } from '../../src/record/uuid.ts'
import { CODE_POINT } from '../helpers/code-point.ts'
import { seedOf } from '../helpers/random.ts'

const seed = seedOf('head')
const UUID = '65fdb562-3dcd-5dc3-bc74-78ee4b077e17'

function members(...pairs: ReadonlyArray<readonly [string, string]>): Members {
  const made = new Members()
  for (const [key, value] of pairs) {
    const bytes = Buffer.from(value)
    made.put(keys.ofText(key), bytes, 0, bytes.length)
  }
  return made
}

function write(instant: number, event: string, distinctId: string, properties = members()): string {
  const writer = new ByteWriter(8)
  writeEvent(writer, { uuid: uuidWords(UUID), instant, event, distinctId, properties })
  return writer.bytes.toString('utf8', 0, writer.length)
}

test('an event line has its fixed head', () => {
  const instant = Date.UTC(2024, 2, 1, 12, 34, 56, 789) * 1000 + 123
  expect(write(instant, '$pageview', 'u"1', members(['a', '1.0'], ['b', '{"x" : 1}']))).toBe(
    `{"uuid":"${UUID}","timestamp":"2024-03-01T12:34:56.789123Z","event":"$pageview","distinct_id":"u\\"1",` +
      '"properties":{"distinct_id":"u\\"1","a":1.0,"b":{"x" : 1}}}',
  )
  expect(write(0, '', '')).toBe(
    `{"uuid":"${UUID}","timestamp":"1970-01-01T00:00:00.000000Z","event":"","distinct_id":"","properties":{"distinct_id":""}}`,
  )
})

const NAMES = fc.oneof(
  fc.string({ unit: CODE_POINT, maxLength: 12 }),
  fc.constantFrom('$pageview', 'a","distinct_id":"b', '\\', '\\"', '\u2028', '😀', '\0', 'é'.repeat(200), ''),
)

test('readHead is the inverse of writeEvent', () => {
  const instants = fc.integer({ min: 0, max: Date.UTC(2200, 0, 1) * 1000 })
  fc.assert(
    fc.property(instants, NAMES, NAMES, fc.nat(5), (instant, event, distinctId, pad) => {
      const line = Buffer.from(
        `${'x'.repeat(pad)}${write(instant, event, distinctId, members(['event', '"no"']))}xx`,
      )
      const head = readHead(line, pad, line.length - 2)!
      expect(head.instant).toBe(instant)
      expect(JSON.parse(line.toString('utf8', head.eventStart, head.eventEnd))).toBe(event)
      expect(JSON.parse(line.toString('utf8', head.distinctIdStart, head.distinctIdEnd))).toBe(distinctId)
      expect(headUuid(line, pad)).toBe(UUID)
      expect(line.toString('latin1', uuidOffset(pad), uuidOffset(pad) + 36)).toBe(UUID)
      const parsed = JSON.parse(line.toString('utf8', pad, line.length - 2))
      expect(parsed).toEqual({
        uuid: UUID,
        timestamp: formatInstant(instant),
        event,
        distinct_id: distinctId,
        properties: { distinct_id: distinctId, event: 'no' },
      })
    }),
    { seed, numRuns: 1000 },
  )
})

describe('readHead', () => {
  const line = write(1_709_296_496_789_123, '$pageview', 'u1')
  test.each([
    ['nothing', ''],
    ['a line cut within the head', line.slice(0, 60)],
    ['a line cut within the event', line.slice(0, 102)],
    ['a line cut within the distinct_id', line.slice(0, line.indexOf('u1') + 1)],
    ['another order', line.replace('"uuid"', '"uuIe"')],
    ['another name of the time', line.replace('"timestamp"', '"timestomp"')],
    ['a blank more', line.replace('"timestamp":', '"timestamp": ')],
    ['another form of time', line.replace('T12', ' 12')],
    ['a time with an offset', line.replace('123Z', '123+')],
    ['digits that are none', line.replace('2024', '2o24')],
    ['other marks between them', line.replace('2024-03', '2024/03')],
    ['a 13th month', line.replace('2024-03', '2024-13')],
    ['a month 0', line.replace('2024-03', '2024-00')],
    ['a day 0', line.replace('-01T', '-00T')],
    ['a day that its month has not', line.replace('2024-03-01', '2023-02-29')],
    ['an hour 24', line.replace('T12:', 'T24:')],
    ['a minute 60', line.replace(':34:', ':60:')],
    ['a second 60', line.replace(':56.', ':60.')],
    ['an event that is no string', line.replace('"$pageview"', '12345678901')],
    ['a distinct_id that is no string', line.replace('"distinct_id":"u1"', '"distinct_id":1234')],
  ])('passes over %s', (_, text) => {
    const bytes = Buffer.from(`${text}"}"}"}"}`)
    expect(readHead(bytes, 0, Buffer.byteLength(text))).toBeUndefined()
  })
})
