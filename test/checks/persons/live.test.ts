import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { joined, planPersons } from '../../../src/checks/persons/live.ts'
import { planLines, plannedPersons } from '../../../src/commands/planned-persons.ts'
import { FileSource } from '../../../src/delivery/file-source.ts'
import { EventLineReader } from '../../../src/delivery/line-reader.ts'
import { testFolder } from '../../helpers/folder.ts'
import { type ArrivedEvent, PersonProject } from '../../helpers/person-project.ts'

test.each([
  ['the second list ends first', ['a', 'b', 'd', 'e'], ['b', 'c', 'd']],
  ['the first list ends first', ['b', 'd'], ['a', 'b', 'c', 'd', 'e']],
])('finds the keys that both have and closes both lists: %s', (_, one, other) => {
  const closed: string[] = []
  function* list(keys: readonly string[], name: string): Generator<readonly [string, string]> {
    try {
      for (const key of keys) yield [key, name + key]
    } finally {
      closed.push(name)
    }
  }
  expect([...joined(list(one, '1'), list(other, '2'))]).toEqual([
    ['b', '1b', '2b'],
    ['d', '1d', '2d'],
  ])
  expect(closed.sort()).toEqual(['1', '2'])
})

const PEOPLE = 1200

function event(n: number, timestamp: string, properties: Record<string, unknown>): ArrivedEvent {
  const id = `user ${n % PEOPLE}`
  const uuid = `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
  return { uuid, timestamp, event: 'x', distinct_id: id, properties: { distinct_id: id, ...properties } }
}

const live = Array.from({ length: PEOPLE }, (_, n) => event(n, '2024-05-01T00:00:00.000000Z', { $os: 'b' }))
const history = live.map((_, n) => event(PEOPLE + n, '2020-01-01T00:00:00.000000Z', { $os: 'a' }))

async function planned(project: PersonProject, mostQuestions?: number) {
  const path = join(testFolder(), 'events.ndjson')
  writeFileSync(path, history.map((one) => `${JSON.stringify(one)}\n`).join(''))
  const open = async () => ({
    source: await FileSource.open(path),
    reader: new EventLineReader('$groupidentify'),
  })
  const folder = testFolder()
  const interrupted = new AbortController().signal
  const plan = await planPersons(
    project,
    { open, folder, interrupted, progress: () => undefined },
    mostQuestions,
  )
  return plan
}

test('a plan says which persons the project has, or how many questions that takes', async () => {
  const project = new PersonProject()
  expect(await planned(project)).toBeUndefined()
  expect(project.asked).toBe(1)
  project.receive(...live)
  const whole = (await planned(project))!
  expect(whole).toMatchObject({ ids: PEOPLE, known: PEOPLE })
  for (const line of planLines(plannedPersons(whole))) expect(line.length).toBeLessThan(80)

  const plan = (await planned(project, 2))!
  expect(plan).toEqual({ ids: PEOPLE, known: null, questions: whole.questions })
  expect(planLines(plannedPersons(plan)).join(' ')).toContain('the input has 1,200')
})
