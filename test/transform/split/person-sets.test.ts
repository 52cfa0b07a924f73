import { expect, test } from 'vitest'
import { sketchHash } from '../../../src/record/sketches.ts'
import { destinationOf, PersonSets } from '../../../src/transform/split/person-sets.ts'
import { seeded, shuffled } from '../../helpers/random.ts'
import { seedOf } from '../../helpers/seed.ts'

/** Random links, most of them in short chains, as people's ids are. */
function randomLinks(random: () => number, people: number): Array<[string, string]> {
  const links: Array<[string, string]> = []
  for (let person = 0; person < people; person++) {
    let id = `u${person}`
    for (let more = Math.floor(random() * 4); more > 0; more--) {
      const other = random() < 0.02 ? `u${Math.floor(random() * people)}` : `a${person}-${more}`
      links.push([id, other])
      if (random() < 0.5) id = other
    }
  }
  return links
}

function dividedBy(links: ReadonlyArray<readonly [string, string]>, datasets: number) {
  const sets = new PersonSets(1000)
  for (const [one, other] of links) sets.link(sketchHash(one), sketchHash(other))
  const table = sets.divide(datasets)
  return (id: string) => destinationOf(table, sketchHash(id))
}

test('ids that are linked go to one dataset, over any number of links', () => {
  const random = seeded(seedOf('person sets'))
  for (let round = 0; round < 3; round++) {
    const links = randomLinks(random, 5_000)
    const datasetOf = dividedBy(links, 7)
    expect(links.filter(([one, other]) => datasetOf(one) !== datasetOf(other))).toEqual([])
  }
})

test('the order of the links makes no difference', () => {
  const random = seeded(seedOf('order of links'))
  const links = randomLinks(random, 2_000)
  const ids = links.flat()
  const [one, other] = [dividedBy(links, 4), dividedBy(shuffled(links, random), 4)]
  expect(ids.map(one)).toEqual(ids.map(other))
})

test('a chain of all ids is one set', () => {
  const links = Array.from({ length: 3_000 }, (_, n): [string, string] => [`u${n}`, `u${n + 1}`])
  const datasetOf = dividedBy(links, 3)
  expect(new Set(links.flat().map(datasetOf)).size).toBe(1)
})

test('people are divided about evenly', () => {
  const datasetOf = dividedBy([], 4)
  const counts = [0, 0, 0, 0]
  for (let n = 0; n < 40_000; n++) counts[datasetOf(`user-${n}@example.com`)]!++
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500)
})
