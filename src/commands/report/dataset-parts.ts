import { basename } from 'node:path'
import { JOINED_ID } from '../../checks/joined-ids.ts'
import type { SavedVerdict } from '../../imports/verified.ts'
import { isRejectsName } from '../../inputs/list.ts'
import type { EventsManifest, Manifest } from '../../store/manifest.ts'
import { INPUT_LIST, inputList } from '../../store/source-inputs.ts'
import { ownOf } from '../../text/json.ts'
import { mostFirst } from '../../text/words.ts'
import { cutText, MOST_ROWS, topOf } from './bounds.ts'
import type { DatasetPart, LeftOutPart, PeoplePart } from './report-data.ts'

/** Import ids, and members of `source`, that a page names. */
const MOST_SOURCE = 40
const MOST_IDS = 20
const SOURCE_CHARS = 1000

const LEFT = 'left out: '

/** What a manifest says of where the data came from, and where it went. */
export function datasetPart(name: string, manifest: Manifest): DatasetPart {
  const { kind, tool, created_at, source, parts } = manifest
  const spans = parts.map((part) => ('day' in part ? part.day : part.window)).sort()
  const head = {
    name: cutText(name, SOURCE_CHARS),
    ...{ tool, created_at },
    source: Object.entries(source)
      .filter(([key]) => key !== INPUT_LIST)
      .slice(0, MOST_SOURCE)
      .map(([key, value]) => ({ name: cutText(key), value: cutText(value, SOURCE_CHARS) })),
    parts: parts.length,
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    ...(spans.length > 0 && { first: cutText(spans[0]!), last: cutText(spans.at(-1)!) }),
  }
  if (kind === 'raw') return { ...head, kind, records: { read: manifest.records } }
  const { rules, import_ids: ids, records, events } = manifest
  return {
    ...head,
    kind,
    rules: cutText(rules),
    ...(ids !== null && { importIds: ids.slice(0, MOST_IDS).map((id) => cutText(id)) }),
    ofRejects: isOfRejects(source),
    ...(manifest.trial && { isTrial: true }),
    records,
    events,
    names: topOf(manifest.names, MOST_ROWS, manifest.other_names),
  }
}

/** True if all inputs of a dataset are files of rejects: its records were counted where they were rejected. */
function isOfRejects(source: Manifest['source']): boolean {
  const list = inputList(source) ?? []
  return list.length > 0 && list.every((input) => isRejectsName(basename(input)))
}

/** By what is said of them: times in an hour that clocks had twice say whose clocks. */
function mendsIn({ mends, source: { source_timezone: zone = "the source's zone" } }: EventsManifest) {
  return Object.fromEntries(
    Object.entries(mends).map(([kind, count]) => [
      kind.startsWith('clock_') ? `${kind} (${zone})` : kind,
      count,
    ]),
  )
}

/** What a transform left out, and what it changed so that the service takes it. */
export function leftOutPart(name: string, manifest: EventsManifest): LeftOutPart {
  const rows = mostFirst(
    Object.entries(manifest.members).flatMap(([path, fates]) =>
      Object.entries(fates)
        .filter(([fate]) => fate.startsWith(LEFT))
        .map(([fate, count]) => [JSON.stringify([path, fate]), count] as const),
    ),
  )
  const members = rows.slice(0, MOST_ROWS).map(([key, count]) => {
    const [path, fate] = JSON.parse(key) as [string, string]
    return { name: cutText(path), fate: cutText(fate.slice(LEFT.length)), count }
  })
  return {
    input: cutText(name),
    records: topOf(manifest.filtered, MOST_ROWS),
    members,
    otherMembers: rows.length - members.length,
    duplicate: manifest.events.duplicate,
    earlier: manifest.events.earlier ?? 0,
    mends: topOf(mendsIn(manifest), MOST_ROWS).top,
  }
}

const MOST_TYPES = 20

/** Distinct ids, merges and groups, here and, once somebody has asked, in the service. */
export function peoplePart(
  manifests: readonly EventsManifest[],
  found: SavedVerdict | undefined,
): PeoplePart {
  const persons = found?.persons
  const ids = manifests.flatMap(({ distinct_ids }) => distinct_ids.approximate)
  // Datasets can have ids in common, so the numbers of several can't be added up.
  const here = persons?.distinct_ids.here ?? (manifests.length === 1 ? ids[0] : undefined)
  const joining = manifests.reduce(
    (sum, { names }) => sum + [...JOINED_ID.keys()].reduce((n, name) => n + (ownOf(names, name) ?? 0), 0),
    0,
  )
  return {
    ...(here != null && { distinctIdsHere: here }),
    ...(persons && { distinctIdsThere: persons.distinct_ids.service, personsThere: persons.persons }),
    mergeEvents: persons?.merges.events ?? joining,
    ...(persons && { mergesAsked: persons.merges.asked, mergesApart: persons.merges.apart.length }),
    putRight: found?.put_right ?? null,
    groups: groupsOf(manifests, found),
  }
}

function groupsOf(
  manifests: readonly EventsManifest[],
  found: SavedVerdict | undefined,
): PeoplePart['groups'] {
  const here = new Map<string, number>()
  for (const { group_types, groups = group_types } of manifests)
    for (const [type, { events }] of Object.entries(groups)) here.set(type, (here.get(type) ?? 0) + events)
  const asked = new Map((found?.persons?.groups ?? []).map((group) => [group.type, group]))
  for (const type of asked.keys()) if (!here.has(type)) here.set(type, 0)
  return [...mostFirst([...here].map(([type, n]) => [type, n + 1] as const))]
    .slice(0, MOST_TYPES)
    .map(([type]) => {
      const there = asked.get(type)
      return {
        type: cutText(type),
        here: here.get(type)!,
        ...(there && { there: there.events.service, keys: there.keys.service }),
      }
    })
}
