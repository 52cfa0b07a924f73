import {
  distinctIdsOf,
  type GroupReport,
  groupTypesOf,
  mergeEvents,
  type PeopleReport,
  type PeopleSample,
} from '../audit/people.ts'
import type { VerifyInput } from '../audit/verify-input.ts'
import type { Api } from '../service/api.ts'
import { countGroups, countPeople, knownGroups, personsOf } from '../service/arrived-people.ts'
import type { EventFilter } from '../service/event-filter.ts'
import { Groups, type GroupType } from '../service/groups.ts'

/** Asks for the persons and groups that the events should have made. */
export async function verifyPeople(
  api: Api,
  projectId: string,
  filter: EventFilter,
  inputs: readonly VerifyInput[],
  sample: PeopleSample,
): Promise<PeopleReport> {
  const counts = await countPeople(api, projectId, filter)
  const { merges } = sample
  const persons = await personsOf(api, projectId, [...new Set(merges.flat())])
  const isApart = ([id, other]: (typeof merges)[number]) =>
    persons.get(id) === undefined || persons.get(id) !== persons.get(other)
  return {
    distinctIds: { here: distinctIdsOf(inputs), there: counts.distinctIds },
    persons: counts.persons,
    merges: { events: mergeEvents(inputs), asked: merges.length, apart: merges.filter(isApart) },
    groups: await verifyGroups(api, projectId, counts.grouped, inputs, sample),
  }
}

async function verifyGroups(
  api: Api,
  projectId: string,
  grouped: readonly number[],
  inputs: readonly VerifyInput[],
  sample: PeopleSample,
): Promise<GroupReport[]> {
  const here = groupTypesOf(inputs)
  const names = [...new Set([...here.keys(), ...sample.groups.keys()])].sort()
  if (names.length === 0) return []
  const indexes = new Map(
    (await new Groups(api, projectId).types()).map(({ name, index }: GroupType) => [name, index]),
  )
  const sizes = await countGroups(api, projectId)
  const reports: GroupReport[] = []
  for (const type of names) {
    const index = indexes.get(type)
    const asked = [...(sample.groups.get(type) ?? [])]
    const found = index === undefined ? new Set<string>() : await knownGroups(api, projectId, index, asked)
    reports.push({
      type,
      events: { here: here.get(type) ?? null, there: index === undefined ? 0 : (grouped[index] ?? 0) },
      keys: {
        there: index === undefined ? 0 : (sizes.get(index) ?? 0),
        asked: asked.length,
        absent: asked.filter((key) => !found.has(key)),
      },
    })
  }
  return reports
}
