import { expect, test } from 'vitest'
import { DistinctCount } from '../../../src/record/distinct-count.ts'
import { newHead, readHead } from '../../../src/record/head.ts'
import { choosePeople, type SealedDays } from '../../../src/transform/trial/choose-people.ts'
import { ChosenLines } from '../../../src/transform/trial/event-ids.ts'
import type { TrialOrder } from '../../../src/transform/trial/trial-order.ts'
import { peopleHistory } from '../../helpers/people-history.ts'
import { seeded, shuffled } from '../../helpers/random.ts'
import { seedOf } from '../../helpers/seed.ts'
import { eventsByPerson, expectLastDays, expectWholePeople } from '../../helpers/trial-oracle.ts'

const dayOf = (line: string) => Date.parse(JSON.parse(line).timestamp.slice(0, 10)) / 86_400_000
const headOf = (bytes: Buffer) => readHead(bytes, 0, bytes.length, newHead())!

/** The lines of a trial, chosen of lines that are read the last day first. */
async function chosenOf(lines: readonly string[], by: TrialOrder['by'], most: number) {
  const ids = new DistinctCount()
  for (const line of lines) ids.add(JSON.parse(line).distinct_id)
  const sorted = lines
    .toSorted((a, b) => dayOf(b) - dayOf(a))
    .map((line) => [Buffer.from(line), dayOf(line)] as const)
  const days: Pick<SealedDays, 'read'> = {
    async read(each) {
      for (const [bytes, day] of sorted) each(bytes, headOf(bytes), day)
    },
  }
  const order = { by, most, wholeId: 'whole', out: '', gzip: false }
  const { chosen, people } = await choosePeople(order, days, {
    ids: ids.text,
    groupEventName: '$groupidentify',
  })
  const trial = new ChosenLines(chosen, '$groupidentify')
  const isIn = (line: string) => trial.has(Buffer.from(line), headOf(Buffer.from(line)), dayOf(line))
  return { trial: lines.filter(isIn), whole: lines, people, ids: { trial: 'whole-trial', whole: 'whole' } }
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
