import { basename } from 'node:path'
import { isRejectsName } from '../../inputs/list.ts'
import type { EventsManifest, Manifest } from '../../store/manifest.ts'
import { INPUT_LIST, inputList } from '../../store/source-inputs.ts'
import { mostFirst } from '../../text/words.ts'
import { cutText, MOST_ROWS, topOf } from './bounds.ts'
import type { DatasetPart, LeftOutPart } from './report-data.ts'

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
    ...(manifest.trial && { trial: manifest.trial }),
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
