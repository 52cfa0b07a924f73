import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { sessionId } from '../../src/mapping/session.ts'

const START = Date.UTC(2024, 2, 1, 12)
const [HOUR, DAY] = [3_600_000, 86_400_000]

function idAt(ms: number, session: Partial<Parameters<typeof sessionId>[1]> = {}): string {
  const made = sessionId(
    'ga4',
    { id: String(START), owner: 'd', start: undefined, ...session },
    ms * 1000 + 999,
  )
  return 'uuid' in made ? made.uuid : made.unusable
}

function timeOf(uuid: string): number {
  return Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)
}

describe('the id of a session', () => {
  test('is a version 7 of its start, and of the hash of source, owner and vendor id', () => {
    const hash = createHash('sha256').update('["session","ga4","d","1709294400000"]').digest('hex')
    const id = idAt(START + HOUR)
    expect(timeOf(id)).toBe(START)
    expect(id.slice(14)).toMatch(
      new RegExp(`^7${hash.slice(1, 4)}-[89ab]${hash.slice(5, 8)}-${hash.slice(8, 20)}$`),
    )
    expect([idAt(START + HOUR, { owner: 'e' }), idAt(START + HOUR, { id: String(START + 1) })]).not.toContain(
      id,
    )
  })

  test.each([0, 1, HOUR, DAY - 1, DAY, DAY + 1, 30 * HOUR, 400 * DAY - 1, 400 * DAY])(
    'is of a time less than 24 hours before an event %i ms after the start',
    (since) => {
      const before = START + since - timeOf(idAt(START + since))
      expect(before).toBeGreaterThanOrEqual(0)
      expect(before).toBeLessThan(DAY)
    },
  )

  test('is one for all events of the first 24 hours, and another from then on', () => {
    const ids = [0, 5 * HOUR, DAY - 1, DAY, 2 * DAY - 1, 2 * DAY].map((since) => idAt(START + since))
    expect(ids.map((id) => ids.indexOf(id))).toEqual([0, 0, 0, 3, 3, 5])
  })

  test.each([
    ['milliseconds', String(START), START],
    ['seconds', String(START / 1000), START],
    ['seconds of 2001', '999999999', 999_999_999_000],
  ])('takes %s for the start', (_, id, start) => expect(timeOf(idAt(start, { id }))).toBe(start))

  test('takes the start that the record tells over what the id may mean', () => {
    expect(timeOf(idAt(START + HOUR, { id: '1609459200', start: START }))).toBe(START)
    expect(timeOf(idAt(START + HOUR, { id: 'visit-7', start: START }))).toBe(START)
  })

  test('stays what it is when it is a version 7 already', () => {
    const own = '018DF000-0000-7000-8000-00000000000A'
    expect(idAt(START, { id: own })).toBe(own.toLowerCase())
  })

  test.each([
    ['a UUID of version 4', { id: '7f0c7a2e-53a8-4f5e-9f63-0d6a4a0e2b11' }, /does not tell/],
    ['a word', { id: 'visit-7' }, /does not tell/],
    ['a number of no clock', { id: '12345678901' }, /does not tell/],
    ['a start after the event', { id: String(START + 1) }, /after the event/],
  ])('is none for %s', (_, session, why) => expect(idAt(START, session)).toMatch(why))
})
