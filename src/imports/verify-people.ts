import { rm } from 'node:fs/promises'
import { eventIn } from '../checks/event-in.ts'
import { distinctIdsOf, groupTypesOf, mergeEvents, type PeopleSample } from '../checks/people.ts'
import { chunksOf, PERSONS_FOLDER, personService, propertiesOf } from '../checks/persons/live.ts'
import { jsonEqual } from '../checks/stored-form.ts'
import type { VerifyInput } from '../checks/verify-input.ts'
import { secondText } from '../checks/words/of-service.ts'
import type { PersonWriteValues } from '../record/rules.ts'
import type { AskedProject } from '../service/api.ts'
import { countGrouped, countGroups, countPeople, knownGroups, personsOf } from '../service/arrived-people.ts'
import type { EventFilter } from '../service/event-filter.ts'
import { Groups } from '../service/groups.ts'
import { scratchFolder } from '../store/ownership.ts'
import { SortedLines } from '../store/sorted-lines.ts'
import { objectOrEmpty } from '../text/json.ts'
import type { VerifyResult } from './verify-result.ts'

type Persons = NonNullable<VerifyResult['persons']>

/** Asks for the persons and groups that the events should have made. */
export async function verifyPeople(
  project: AskedProject,
  filter: EventFilter,
  inputs: readonly VerifyInput[],
  sample: PeopleSample,
): Promise<Persons> {
  const counts = await countPeople(project, filter)
  const { merges } = sample
  const persons = await personsOf(project, [...new Set(merges.flat())])
  const isApart = ([id, other]: (typeof merges)[number]) =>
    persons.get(id) === undefined || persons.get(id) !== persons.get(other)
  return {
    distinct_ids: { here: distinctIdsOf(inputs), service: counts.distinctIds },
    persons: counts.persons,
    merges: { events: mergeEvents(inputs), asked: merges.length, apart: merges.filter(isApart) },
    groups: await verifyGroups(project, filter, inputs, sample),
  }
}

async function verifyGroups(
  project: AskedProject,
  filter: EventFilter,
  inputs: readonly VerifyInput[],
  sample: PeopleSample,
): Promise<Persons['groups']> {
  const here = groupTypesOf(inputs)
  const names = [...new Set([...here.keys(), ...sample.groups.keys(), ...sample.types])].sort()
  if (names.length === 0) return []
  const types = new Map((await new Groups(project).types()).map((type) => [type.name, type]))
  const asked = names.map((name) => ({ name, index: types.get(name)?.index }))
  const grouped = await countGrouped(project, filter, asked)
  const sizes = await countGroups(project)
  const reports: Persons['groups'][number][] = []
  for (const [n, type] of names.entries()) {
    const { index, since = null } = types.get(type) ?? {}
    const { named, shown } = grouped[n]!
    const keys = [...(sample.groups.get(type) ?? [])]
    const found = index === undefined ? new Set<string>() : await knownGroups(project, index, keys)
    reports.push({
      type,
      events: { here: here.get(type) ?? null, service: named, hidden: named - shown },
      since: since === null ? null : secondText(since),
      keys: {
        service: index === undefined ? 0 : (sizes.get(index) ?? 0),
        asked: keys.length,
        absent: keys.filter((key) => !found.has(key)),
      },
    })
  }
  return reports
}

const AT_ONCE = 500

/** Compares the persons that an import put right with what it gave them last. Null if it put none right. */
export async function verifyKept(
  project: AskedProject,
  inputs: readonly VerifyInput[],
): Promise<VerifyResult['put_right']> {
  const own = inputs.filter(({ isOwn }) => isOwn)
  if (own.length === 0) return null
  const service = personService(project)
  const folder = await scratchFolder(PERSONS_FOLDER)
  const given = new SortedLines(folder, 'given')
  let [persons, equal] = [0, 0]
  try {
    for (const input of own)
      await input.read(
        new Set(input.sums.days.keys()),
        (line) => note(given, line),
        async () => undefined,
      )
    for await (const some of chunksOf(given.groups(), AT_ONCE)) {
      const asked = some.map(([distinctId]) => distinctId)
      const ids = await personsOf(project, asked)
      const there = await propertiesOf(service, [...new Set(ids.values())])
      for (const [distinctId, texts] of some) {
        const person = there.get(ids.get(distinctId) ?? '')
        const values = Object.entries(texts.reduce<PersonWriteValues>(written, {}))
        persons++
        if (person && values.every(([name, value]) => jsonEqual(value, person[name]))) equal++
      }
    }
  } finally {
    given.remove()
    await rm(folder, { recursive: true, force: true })
  }
  return persons === 0 ? null : { persons, equal }
}

/** What one event gives a person. */
interface Given {
  readonly set: PersonWriteValues
  readonly once: PersonWriteValues
}

function note(given: SortedLines, line: Buffer): void {
  const sent = eventIn(line.toString('utf8'))
  if (sent?.event !== '$set') return
  const { $set, $set_once } = sent.properties
  given.add(
    sent.distinct_id,
    JSON.stringify({ set: objectOrEmpty($set), once: objectOrEmpty($set_once) } satisfies Given),
  )
}

/** What a person has after one more event. An import of a file that grows puts a person right again. */
function written(before: PersonWriteValues, text: string): PersonWriteValues {
  const { set, once } = JSON.parse(text) as Given
  return { ...once, ...before, ...set }
}
