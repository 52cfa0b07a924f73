import { expect, test } from 'vitest'
import { hasOddSession } from '../../src/checks/session-times.ts'

const AT = Date.UTC(2024, 2, 1, 12)
const DAY = 86_400_000

function sessionAt(ms: number): string {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7abc-8def-0123456789ab`
}

test.each([
  ['of the event’s own time', sessionAt(AT), false],
  ['in capitals', sessionAt(AT).toUpperCase(), false],
  ['one millisecond less than 24 hours before', sessionAt(AT - DAY + 1), false],
  ['24 hours before', sessionAt(AT - DAY), true],
  ['after the event', sessionAt(AT + 1), true],
  ['of version 4', '7f0c7a2e-53a8-4f5e-9f63-0d6a4a0e2b11', true],
  ['that is a number', 1709294400000, true],
  ['that is short', 's', true],
  ['that is longer than a UUID', `${sessionAt(AT)}0`, true],
  ['that is null', null, false],
  ['with a hyphen elsewhere', sessionAt(AT).replace('-7abc', '7-abc'), true],
  ['with a letter that is no digit', sessionAt(AT).replace('7abc', '7xbc'), true],
  ['of no variant', sessionAt(AT).replace('8def', 'cdef'), true],
])('a session %s', (_, $session_id, odd) => {
  const line = Buffer.from(
    JSON.stringify({ event: 'a', properties: { $session_id, b: '"$session_id":"x"' } }),
  )
  expect(hasOddSession(line, AT * 1000 + 999)).toBe(odd)
})

test('an event without a session is none', () => {
  expect(hasOddSession(Buffer.from('{"properties":{"a":"\\"$session_id\\":1"}}'), AT * 1000)).toBe(false)
  expect(hasOddSession(Buffer.from('{"properties":{"my$session_id":1}}'), AT * 1000)).toBe(false)
})
