import {
  distinctIdsOf,
  type GroupReport,
  groupTypesOf,
  mergeEvents,
  type PeopleReport,
  type PeopleSample,
  type VerifyInput,
} from '../../checks/index.ts'
import {
  type Api,
  countGrouped,
  countGroups,
  countPeople,
  type EventFilter,
  Groups,
  knownGroups,
  personsOf,
} from '../../service/index.ts'

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
    groups: await verifyGroups(api, projectId, filter, inputs, sample),
  }
}

async function verifyGroups(
  api: Api,
  projectId: string,
  filter: EventFilter,
  inputs: readonly VerifyInput[],
  sample: PeopleSample,
): Promise<GroupReport[]> {
  const here = groupTypesOf(inputs)
  const names = [...new Set([...here.keys(), ...sample.groups.keys(), ...sample.types])].sort()
  if (names.length === 0) return []
  const types = new Map((await new Groups(api, projectId).types()).map((type) => [type.name, type]))
  const asked = names.map((name) => ({ name, index: types.get(name)?.index }))
  const grouped = await countGrouped(api, projectId, filter, asked)
  const sizes = await countGroups(api, projectId)
  const reports: GroupReport[] = []
  for (const [n, type] of names.entries()) {
    const { index, since = null } = types.get(type) ?? {}
    const { named, shown } = grouped[n]!
    const keys = [...(sample.groups.get(type) ?? [])]
    const found = index === undefined ? new Set<string>() : await knownGroups(api, projectId, index, keys)
    reports.push({
      type,
      events: { here: here.get(type) ?? null, there: named, hidden: named - shown },
      since,
      keys: {
        there: index === undefined ? 0 : (sizes.get(index) ?? 0),
        asked: keys.length,
        absent: keys.filter((key) => !found.has(key)),
      },
    })
  }
  return reports
}
