import { expect, test } from 'vitest'
import type { VerifyInput } from '../../../src/checks/verify-input.ts'
import { extentOf } from '../../../src/commands/undo/extent.ts'

/** An input of these days, whose events carry these ids of an import. */
function input(days: readonly string[], importIds: readonly string[] | null): VerifyInput {
  return { sums: { days: new Map(days.map((day) => [day, 1])) }, importIds } as unknown as VerifyInput
}

test('what is taken back are the days and the ids of all inputs', () => {
  const extent = extentOf([input(['2024-03-02', '2024-03-01'], ['b']), input(['2024-03-05'], ['a', 'b'])])
  expect(extent).toEqual({ import_ids: ['a', 'b'], first: '2024-03-01', last: '2024-03-05' })
})

test.each<[string, (readonly string[] | null)[]]>([
  ['no event has', [null]],
  ['those of one input lack', [['a'], null]],
])('nothing is taken back by ids that %s: the events of others would go too', (_, ids) => {
  const inputs = ids.map((one) => input(['2024-03-01'], one))
  expect(() => extentOf(inputs)).toThrow('these events have no $import_job_id that tells them from others')
})

test('of nothing there is nothing to take back', () => {
  expect(() => extentOf([input([], ['a'])])).toThrow('there are no events to take back')
})
