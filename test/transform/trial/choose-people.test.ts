import { expect, test } from 'vitest'
import { DistinctCount } from '../../../src/record/distinct-count.ts'
import { newHead, readHead } from '../../../src/record/head.ts'
import { CandidateSets, choosePeople } from '../../../src/transform/trial/choose-people.ts'
import { ChosenLines } from '../../../src/transform/trial/event-ids.ts'
import type { TrialOrder } from '../../../src/transform/trial/trial-order.ts'
import { peopleHistory } from '../../helpers/people-history.ts'
import { seeded, seedOf, shuffled } from '../../helpers/random.ts'
import { eventsByPerson, expectLastDays, expectWholePeople } from '../../helpers/trial-oracle.ts'

const dayOf = (line: string) => Date.parse(JSON.parse(line).timestamp.slice(0, 10)) / 86_400_000
const headOf = (bytes: Buffer) => readHead(bytes, 0, bytes.length, newHead())!

/** The lines of a trial, chosen of lines that are read the last day first. */
async function chosenOf(lines: readonly string[], by: TrialOrder['by'], most: number) {
  const ids = new DistinctCount()
  for (const line of lines) ids.add(JSON.parse(line).distinct_id)
  const read = lines.map((line) => [Buffer.from(line), dayOf(line)] as const)
  const sorted = read.toSorted(([, a], [, b]) => b - a)
  const days: Parameters<typeof choosePeople>[1] = async (each) => {
    for (const [bytes, day] of sorted) each(bytes, headOf(bytes), day)
  }
  const order = { by, most, wholeId: 'whole', out: '', gzip: false }
  const { chosen, people } = await choosePeople(order, days, ids.text)
  const trial = new ChosenLines(chosen)
  const isIn = ([bytes, day]: (typeof read)[number]) => trial.has(bytes, headOf(bytes), day)
  return {
    trial: lines.filter((_, n) => isIn(read[n]!)),
    whole: lines,
    people,
    ids: { trial: 'whole-trial', whole: 'whole' },
  }
}

const history = (people: number) => peopleHistory(seeded(seedOf(`chosen of ${people}`)), people)

test.each([1, 7, 60])('%i people are chosen, each with all that is theirs', async (most) => {
  const found = await chosenOf(history(300), 'people', most)
  expect(found.people).toBe(most)
  expect(expectWholePeople(found).size).toBe(most)
})

test('the same people are chosen in whatever order the events come, and more of them include fewer', async () => {
  const lines = history(300)
  const [few, many] = [await chosenOf(lines, 'people', 10), await chosenOf(lines, 'people', 50)]
  expect(few.trial.filter((line) => !many.trial.includes(line))).toEqual([])
  const other = await chosenOf(shuffled(lines, seeded(3)), 'people', 10)
  expect(other.trial.toSorted()).toEqual(few.trial.toSorted())
})

test('people are taken whatever they did: those of a sample have as many events as all', async () => {
  const lines = history(2_000)
  const counts = eventsByPerson(lines)
  const mean = (names: Iterable<string>) => {
    const all = [...names].map((name) => counts.get(name)!)
    return all.reduce((sum, count) => sum + count, 0) / all.length
  }
  const people = expectWholePeople(await chosenOf(lines, 'people', 700))
  expect(Math.abs(mean(people) / mean(counts.keys()) - 1)).toBeLessThan(0.15)
})

test.each([1, 4, 100])(
  'the last %i days are whole, and so is what links and describes their people',
  async (most) => {
    expectLastDays(await chosenOf(history(150), 'days', most), most)
  },
)

test('where nobody did anything there is nobody to choose', async () => {
  const profiles = history(100).filter((line) => JSON.parse(line).event === '$set')
  await expect(chosenOf(profiles, 'people', 3)).rejects.toMatchObject({ code: 'input' })
})

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
  const sets = new CandidateSets(1000)
  for (const [one, other] of links) sets.link(one, other)
  return (id: string) => sets.setOf(id)
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
