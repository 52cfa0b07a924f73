import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FirstLinks, type LinkSeen } from '../../src/transform/first-links.ts'
import { idOf } from '../helpers/ids.ts'
import { seedOf } from '../helpers/random.ts'

const seed = seedOf('first links')

/** Some records of a unit: only the first ones are noted when it is cut off in the middle. */
const step = fc.record({
  unit: fc.nat({ max: 3 }),
  worker: fc.nat({ max: 1 }),
  after: fc.constantFrom('goes on', 'is cut off', 'is killed'),
})

test('each id keeps its earliest sighting, by whichever workers, how often and in what order units are mapped', () => {
  const record = fc.record({ anonymous: fc.constantFrom('a', 'b', 'c'), instant: fc.nat({ max: 5 }) })
  const units = fc.array(fc.array(record, { maxLength: 8 }), { minLength: 4, maxLength: 4 })
  fc.assert(
    fc.property(units, fc.array(step, { maxLength: 20 }), (all, steps) => {
      const sightings = all.map((records, unit) =>
        records.map(({ anonymous, instant }, at) => ({ anonymous, instant, seq: unit * 100 + at })),
      )
      const workers = [new FirstLinks(), new FirstLinks()]
      /** What each unit brought the last time that it was mapped to its end. */
      const brought: (readonly LinkSeen[] | undefined)[] = all.map(() => undefined)
      const map = (unit: number, worker: number, end: number) => {
        const records = sightings[unit]!
        for (const { anonymous, instant, seq } of records.slice(0, end))
          workers[worker]!.note(idOf(anonymous), idOf(`user ${seq}`), instant, seq)
        if (end >= records.length) brought[unit] = workers[worker]!.take()
      }
      for (const { unit, worker, after } of steps) {
        map(unit, worker, after === 'is cut off' ? sightings[unit]!.length / 2 : Number.POSITIVE_INFINITY)
        if (after === 'is killed') workers[worker] = new FirstLinks()
      }
      for (const unit of all.keys()) if (!brought[unit]) map(unit, 0, Number.POSITIVE_INFINITY)
      const byTime = (a: { instant: number; seq: number }, b: { instant: number; seq: number }) =>
        b.instant - a.instant || b.seq - a.seq
      // The last one to be set is the earliest.
      const first = (links: readonly { anonymous: string; instant: number; seq: number }[]) =>
        new Map([...links].sort(byTime).map(({ anonymous, instant, seq }) => [anonymous, [instant, seq]]))
      expect(first(brought.flatMap((links) => links ?? []))).toEqual(first(sightings.flat()))
    }),
    { seed, numRuns: 300 },
  )
})

test('what an earlier unit told is not told again', () => {
  const links = new FirstLinks()
  links.note(idOf('a'), idOf('u'), 5, 1)
  links.note(idOf('b'), idOf('u'), 6, 2)
  expect(links.take()).toHaveLength(2)
  links.note(idOf('a'), idOf('u'), 7, 3)
  links.note(idOf('b'), idOf('v'), 4, 4)
  links.note(idOf('b'), idOf('v'), 8, 5)
  expect(links.take()).toEqual([{ kind: 'link', anonymous: 'b', user: 'v', instant: 4, seq: 4 }])
})
