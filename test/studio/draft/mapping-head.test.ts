import { expect, test } from 'vitest'
import { trialWords } from '../../../src/studio/draft/mapping-head.ts'

test('the reasons that are shown and the others sum to what is rejected', () => {
  const trial = { read: 20, events: 9, rejected: 11, filtered: 0, messages: {}, switches: [], sides: [] }
  const reasons = { no_time: 2, no_person: 4, bad_json: 1, no_event: 3 }
  expect(trialWords({ ...trial, reasons } as never)).toContain(
    '11 are rejected (4 no_person, 3 no_event, 2 no_time and 2 others).',
  )
  expect(trialWords({ ...trial, rejected: 4, reasons: { no_person: 4 } } as never)).toContain(
    '(4 no_person).',
  )
})
