import { expect, test } from 'vitest'
import { idHash } from '../../../src/record/distinct-count.ts'
import { PersonSets } from '../../../src/transform/trial/choose-people.ts'
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

function setsOf(links: ReadonlyArray<readonly [string, string]>) {
  const sets = new PersonSets(1000)
  for (const [one, other] of links) sets.link(idHash(one), idHash(other))
  return (id: string) => sets.setOf(idHash(id))
}

test('ids that are linked are in one set, over any number of links', () => {
  const random = seeded(seedOf('person sets'))
  for (let round = 0; round < 3; round++) {
    const links = randomLinks(random, 5_000)
    const setOf = setsOf(links)
    expect(links.filter(([one, other]) => setOf(one) !== setOf(other))).toEqual([])
  }
})

test('the order of the links makes no difference', () => {
  const random = seeded(seedOf('order of links'))
  const links = randomLinks(random, 2_000)
  const ids = links.flat()
  const [one, other] = [setsOf(links), setsOf(shuffled(links, random))]
  expect(ids.map(one)).toEqual(ids.map(other))
})

test('a chain of all ids is one set', () => {
  const links = Array.from({ length: 3_000 }, (_, n): [string, string] => [`u${n}`, `u${n + 1}`])
  const setOf = setsOf(links)
  expect(new Set(links.flat().map(setOf)).size).toBe(1)
})

test('people without links are in sets of their own, nearly all', () => {
  const setOf = setsOf([])
  const sets = new Set(Array.from({ length: 20_000 }, (_, n) => setOf(`user-${n}@example.com`)))
  expect(sets.size).toBeGreaterThan(19_000)
})
