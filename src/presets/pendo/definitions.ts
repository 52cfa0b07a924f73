import type { SideTable } from '../../mapping/side-table.ts'
import { members } from '../../record/json-values.ts'

type Kind = 'Page' | 'Feature' | 'TrackType'

/** A page, a feature or a kind of track event may match an event; several of one kind may. */
function matches(kind: Kind): SideTable {
  return {
    name: `matched${kind}Events`,
    folder: `matchedEvents/${kind}`,
    help: `which ${WORDS[kind]} an event belongs to`,
    on: { periodId: ['periodId'], eventId: ['eventId'] },
    as: `joined_${kind}_match`,
    several: foldMatches,
    expected: false,
  }
}

function definitions(kind: Kind): SideTable {
  return {
    name: `all${kind}s`,
    help: `names of ${WORDS[kind]}s`,
    on: {
      [`id|${kind[0]!.toLowerCase()}${kind.slice(1)}Id|matchableId`]: [`joined_${kind}_match.matchableId`],
    },
    as: `joined_${kind}`,
    several: foldDefinitions,
    expected: false,
  }
}

const WORDS: Readonly<Record<Kind, string>> = {
  Page: 'page',
  Feature: 'feature',
  TrackType: 'kind of track event',
}

const GUIDES: SideTable = {
  name: 'allGuides',
  help: 'names of guides',
  on: { 'id|guideId': ['guideId'] },
  as: 'joined_guide',
  several: foldDefinitions,
  expected: false,
}

export const PENDO_SIDE_TABLES: readonly SideTable[] = [
  matches('Page'),
  definitions('Page'),
  matches('Feature'),
  definitions('Feature'),
  matches('TrackType'),
  definitions('TrackType'),
  GUIDES,
]

/**
 * Of the rows that match one event: `matchableId`, the least of their ids, whatever the order of the rows; and
 * `matchableIds`, all of them, where there are several.
 */
function foldMatches(held: string | undefined, row: string): string {
  const ids = new Set([...idsOf(held), ...idsOf(row)])
  const sorted = [...ids].sort()
  const all = sorted.length > 1 ? `,"matchableIds":${JSON.stringify(sorted)}` : ''
  return sorted.length === 0 ? '{}' : `{"matchableId":${JSON.stringify(sorted[0])}${all}}`
}

/** Each export has all definitions: the one that was changed last stands; of equals the greater text, whatever the order. */
function foldDefinitions(held: string | undefined, row: string): string {
  if (held === undefined) return row
  const [before, now] = [changedAt(held), changedAt(row)]
  return now > before || (now === before && row > held) ? row : held
}

/** Times of one export have one form: numbers of milliseconds, or text that sorts as they do. */
function changedAt(row: string): string {
  return new Map(members(row)).get('lastUpdatedAt') ?? ''
}

function idsOf(row: string | undefined): string[] {
  const known = new Map(members(row ?? '{}'))
  const several = known.get('matchableIds')
  if (several !== undefined) return JSON.parse(several) as string[]
  const one = known.get('matchableId')
  // A manifest writes ids with their kind; the files of definitions don't.
  return one?.startsWith('"')
    ? [(JSON.parse(one) as string).replace(/^(?:Page|Feature|TrackType)\//, '')]
    : []
}
