import { HASHED, KEPT, MENDED, OPENED } from '../../mapping/index.ts'
import type { Fates, Inventory } from '../../record/index.ts'
import type { PropertyFate, PropertyRow } from '../studio-data.ts'

/** How full a member is, in the records of one event or of all. */
export interface Fill {
  /** Records that have the member, and those in which it has a value. */
  present: number
  filled: number
  /** Records that have it and became no event. */
  unsent: number
  /** JSON of a value, shortened; null for none. */
  example: string | null
  /** The property that the preset makes of it; null where it makes none, or several. */
  readonly editable: string | null
  /** The path as a mapping file writes it; null where two members are called so, `a.b` and `b` in `a`. */
  says: string | null
}

const NOT_SENT = 'not sent'

/** Of fates in as many records, the one that says most. */
const ORDER: readonly PropertyFate[] = ['kept', 'renamed', 'person', 'changed', 'used', 'left out', NOT_SENT]

/** The fullest first. `records`: of how many records. */
export function propertyRows(
  fills: ReadonlyMap<string, Fill>,
  { members }: Pick<Inventory, 'members'>,
  records: number,
): PropertyRow[] {
  const rows = [...fills].map(([path, fill]) => {
    const known = Object.hasOwn(members, path) ? members[path]! : {}
    const fates = fill.unsent > 0 ? { ...known, [NOT_SENT]: fill.unsent } : known
    const name = path.slice(path.lastIndexOf('.') + 1)
    return {
      path,
      says: fill.says,
      filled: fill.filled,
      records,
      fate: mainFate(fates),
      fates,
      to: [...new Set(Object.keys(fates).flatMap((fate) => placesOf(fate, fill.editable ?? name)))],
      editable: fill.editable,
      example: fill.example,
    }
  })
  return rows.sort((a, b) => b.filled - a.filled || (a.path < b.path ? -1 : 1))
}

function mainFate(fates: Fates): PropertyFate {
  const sums = new Map<PropertyFate, number>()
  for (const [words, count] of Object.entries(fates)) {
    const fate = fateOf(words)
    sums.set(fate, (sums.get(fate) ?? 0) + count)
  }
  const [main] = [...sums].sort(([a, m], [b, n]) => n - m || ORDER.indexOf(a) - ORDER.indexOf(b))
  return main?.[0] ?? 'left out'
}

/** The kind of a fate, by the words of mapping/fates.ts. */
function fateOf(words: string): PropertyFate {
  if (words === KEPT) return 'kept'
  if (words === NOT_SENT) return NOT_SENT
  if (words === MENDED || words === HASHED) return 'changed'
  if (words.startsWith('renamed: ')) return 'renamed'
  if (words.startsWith('person: ')) return 'person'
  return words.startsWith('used: ') || words === OPENED ? 'used' : 'left out'
}

function placesOf(words: string, name: string): string[] {
  if (words === KEPT || words === MENDED || words === HASHED) return [name]
  const place = /^(?:renamed|person|used): (.*)$/s.exec(words)?.[1]
  // A function made properties of it: which, the trace of a record says.
  return place === undefined || place === 'properties' ? [] : [place]
}
