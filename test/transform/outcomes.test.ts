import { expect, test } from 'vitest'
import type { InputFile } from '../../src/inputs/input-file.ts'
import type { ItemOutcome } from '../../src/pipeline/loop.ts'
import { loadVendorCounts, partsPrint, saveVendorCounts } from '../../src/sources/counts/vendor-counts.ts'
import { MOST_TOLD, OutcomeCount, type UnitOutcomes } from '../../src/transform/outcome-count.ts'
import { loadOutcomes, OutcomeSum, saveOutcomes } from '../../src/transform/outcomes.ts'
import { MemoryStore } from '../helpers/memory-store.ts'

const eventOf = (event: string) => ({ status: 'event', event }) as ItemOutcome
const FILTERED = { status: 'filtered', reason: 'test' } as const

/** What became of records of these names: every third is left out. */
function unit(names: readonly string[], count = new OutcomeCount()): UnitOutcomes {
  count.begin()
  count.input = { name: 'raw/2024-03-01T05.ndjson.gz' } as InputFile
  for (const [at, name] of names.entries()) count.see(at % 3 === 2 ? FILTERED : eventOf(`to ${name}`), name)
  const filtered = Math.floor(names.length / 3)
  const mapped = names.length - filtered
  count.endFile({ read: names.length, mapped, rejected: 0, filtered, made: mapped })
  return count.take()
}

test('names beyond the most are counted together, the same however the records are divided', () => {
  const names = Array.from({ length: 27 * MOST_TOLD }, (_, n) => `name ${n % (20 * MOST_TOLD)}`)
  const [whole, halves, oneByOne] = [new OutcomeSum(), new OutcomeSum(), new OutcomeSum()]
  whole.add(unit(names))
  const middle = 9 * MOST_TOLD
  const one = new OutcomeCount()
  for (const part of [names.slice(middle), names.slice(0, middle)]) {
    halves.add(unit(part))
    oneByOne.add(unit(part, one))
  }
  const told = whole.take([])
  for (const sum of [halves, oneByOne]) expect(sum.take([])).toEqual(told)
  expect(told.names).toHaveLength(MOST_TOLD)
  const read = told.names.reduce((sum, one) => sum + one.read, told.other_names!.read)
  expect([read, told.days]).toEqual([
    names.length,
    [{ day: '2024-03-01', read: 27_000, mapped: 18_000, rejected: 0, filtered: 9000, made: 18_000 }],
  ])
})

test('a name whose events have several names has none of them', () => {
  const count = new OutcomeCount()
  for (const event of ['a', 'a', 'b']) count.see(eventOf(event), 'source')
  count.see(FILTERED, 'dropped')
  expect(count.take().names.map(([name, { to }]) => [name, to])).toEqual([
    ['dropped', undefined],
    ['source', null],
  ])
})

test('counts of another dataset, or of parts that were fetched again, are not taken for its own', async () => {
  const store = new MemoryStore()
  await saveOutcomes(store, { tool: 'posthaul', arrival: 'a', ...new OutcomeSum().take([]) })
  expect([await loadOutcomes(store, 'a'), await loadOutcomes(store, 'b')]).toEqual([
    expect.anything(),
    undefined,
  ])
  const parts = [{ file: '2024-03-01.ndjson', sha256: 'a' }]
  const counts = { vendor: 'Mixpanel', reason: null, zone: 'UTC', days: [], names: [], other_names: 0 }
  await saveVendorCounts(store, { parts: partsPrint(parts), ...counts })
  const again = [{ ...parts[0]!, sha256: 'b' }]
  expect([await loadVendorCounts(store, parts), await loadVendorCounts(store, again)]).toEqual([
    expect.anything(),
    undefined,
  ])
})
