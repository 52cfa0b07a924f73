import { expect, test } from 'vitest'
import { OwnLines } from '../../../src/commands/import/own-lines.ts'
import { headUuid } from '../../../src/record/head.ts'

const EVENT = {
  event: '$groupidentify',
  distinctId: '$company_acme',
  instant: 1e15,
  properties: { $group_set: {} },
}

const uuidOf = (checkpoint: string) => headUuid(new OwnLines('1.0.0', checkpoint).line(EVENT), 0)

test('an import makes the same event again, and another import one of its own', () => {
  expect(uuidOf('/data/us.checkpoint.json')).toBe(uuidOf('/data/us.checkpoint.json'))
  // A history exported from the project of the first is imported by the second: verify has to tell the two apart.
  expect(uuidOf('/data/eu.checkpoint.json')).not.toBe(uuidOf('/data/us.checkpoint.json'))
})
