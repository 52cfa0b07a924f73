import { distinctIdsOf, groupTypesOf, mergeEvents, type PeopleSample } from '../checks/people.ts'
import type { VerifyInput } from '../checks/verify-input.ts'
import { secondText } from '../checks/words/of-service.ts'
import type { AskedProject } from '../service/api.ts'
import { countGrouped, countGroups, countPeople, knownGroups, personsOf } from '../service/arrived-people.ts'
import type { EventFilter } from '../service/event-filter.ts'
import { Groups } from '../service/groups.ts'
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
