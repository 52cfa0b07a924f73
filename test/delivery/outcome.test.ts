import { expect, test } from 'vitest'
import { Batch } from '../../src/delivery/batch.ts'
import { DeliveryTally } from '../../src/delivery/outcome.ts'
import { START } from '../../src/delivery/place.ts'
import { emptyNotes } from '../../src/record/notes.ts'
import { ENVELOPE } from '../helpers/fake-post.ts'

function batch(names: readonly string[] = []): Batch {
  const made = new Batch({ lane: 0, epoch: 0, from: START }, ENVELOPE)
  const source = { offset: 0, line: 1, file: undefined, record: undefined }
  for (let i = 0; i < 3; i++) made.add(Buffer.from('{}'), 0, 2, source)
  made.addReject({ line: 1, offset: 0, reason: 'bad_json', message: '', record: '' })
  made.addNotes({
    ...emptyNotes(),
    duplicate_keys: 1,
    big_integers: Object.fromEntries(names.map((name) => [name, 1])),
  })
  return made
}

test('counts what was delivered, what was rejected and why', () => {
  const tally = new DeliveryTally()
  const refused = { line: 2, offset: 3, reason: 'refused_by_service', message: '', record: '' }
  tally.acknowledge(batch(), [refused])
  tally.acknowledge(batch(), [])
  tally.reject('bad_json')
  expect(tally).toMatchObject({
    delivered: 5,
    rejected: 4,
    reasons: { bad_json: 3, refused_by_service: 1 },
    notes: { duplicate_keys: 2 },
  })
})

test('counts what was left out on purpose, apart from what was rejected', () => {
  const tally = new DeliveryTally()
  const some = batch()
  for (const reason of ['date', 'date', 'event']) some.addFiltered(reason)
  tally.acknowledge(some, [])
  expect(tally).toMatchObject({ delivered: 3, rejected: 1, filtered: 3, filters: { date: 2, event: 1 } })
})

test('a new name in every record costs no memory: rare names are counted together', () => {
  const tally = new DeliveryTally()
  for (let i = 0; i < 50; i++) {
    tally.acknowledge(batch(['order', ...Array.from({ length: 100 }, (_, n) => `${i}-${n}`)]), [])
  }
  const { big_integers: names } = tally.notes
  expect(Object.keys(names).length).toBeLessThanOrEqual(1001)
  expect(names.order).toBe(50)
  expect(Object.values(names).reduce((sum, count) => sum + count, 0)).toBe(50 * 101)
})

test('nor do reasons: a file of rejects may have any', () => {
  const tally = new DeliveryTally()
  for (let i = 0; i < 2_000; i++) {
    const made = batch()
    made.addReject({ line: 1, offset: 0, reason: `reason ${i}`, message: '', record: null })
    tally.acknowledge(made, [])
  }
  expect(Object.keys(tally.reasons).length).toBeLessThanOrEqual(501)
  expect(tally.reasons.bad_json).toBe(2_000)
  expect(Object.values(tally.reasons).reduce((sum, n) => sum + n, 0)).toBe(4_000)
})
