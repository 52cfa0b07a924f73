import { type Compiled, compile } from '../../mapping/compile.ts'
import { HASHED, KEPT, MENDED, OPENED } from '../../mapping/fates.ts'
import type { Mapping } from '../../mapping/mapping.ts'
import { quotedSegment } from '../../mapping/member-path.ts'
import type { Preset } from '../../mapping/preset.ts'
import { RecordReader } from '../../mapping/record-reader.ts'
import { membersOf, type RecordMember } from '../../mapping/record-tracer.ts'
import type { Fates, Inventory } from '../../record/inventory.ts'
import { keys } from '../../record/keys.ts'
import { emptyNotes, MOST_NAMES } from '../../record/notes.ts'
import { Tape } from '../../record/tape.ts'

export type PropertyFate =
  | 'kept'
  | 'renamed'
  /** Into the person's properties. */
  | 'person'
  /** Made into the event's name, id, time, groups or another property. */
  | 'used'
  /** Hashed, or mended for the service. */
  | 'changed'
  | 'left out'
  /** The record became no event. */
  | 'not sent'

/** How full a member is, in the records of one event or of all. */
export interface Fill {
  /** Records in which the member has a value. */
  filled: number
  /** Records that have it and became no event. */
  unsent: number
  /** JSON of a value, shortened; null for none. */
  example: string | null
  /** The property that the preset makes of it; null where it makes none, or several. */
  readonly editable: string | null
  /** The path as a mapping file writes it, names with dots in quotes; null where two members are called so, `a.b` and `b` in `a`. */
  says: string | null
}

const NOT_SENT = 'not sent'

/** Of fates in as many records, the one that says most. */
const ORDER: readonly PropertyFate[] = ['kept', 'renamed', 'person', 'changed', 'used', 'left out', NOT_SENT]

/**
 * Members by their paths, the fullest first, each with the fate that most records have, its fates in the words of `transform`, and
 * its names in the service. `records`: of how many records.
 */
export function propertyRows(
  fills: ReadonlyMap<string, Fill>,
  { members }: Pick<Inventory, 'members'>,
  records: number,
) {
  const rows = [...fills].map(([path, { unsent, ...fill }]) => {
    const known = Object.hasOwn(members, path) ? members[path]! : {}
    const fates: Fates = unsent > 0 ? { ...known, [NOT_SENT]: unsent } : known
    const name = path.slice(path.lastIndexOf('.') + 1)
    const to = Object.keys(fates).flatMap((fate) => placesOf(fate, fill.editable ?? name))
    return { path, ...fill, records, fate: mainFate(fates), fates, to: [...new Set(to)] }
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

const EXAMPLE_CHARACTERS = 80
const HOLLOW = new Set(['null', '""', '{}', '[]'])

/** Counts how full the members that a transform counts are, also in records that become no event. */
export class MemberFills {
  /** Records with members beyond those that are told apart. */
  others = 0
  readonly fills = new Map<string, Fill>()
  readonly #tape = new Tape()
  readonly #root: Compiled['root']
  readonly #reader: RecordReader

  constructor(preset: Preset, mapping: Mapping) {
    const fields = { ...preset.takes, ...mapping.fields }
    // Without the user's names: the rules then tell the names that the user can change.
    const properties = { rename: {}, drop: [], set: {} }
    this.#root = compile(preset, { ...mapping, fields, properties }).root
    this.#reader = new RecordReader(this.#tape, preset, { ...mapping, root: this.#root }, emptyNotes())
  }

  /** A line that is no record has no members. */
  add(bytes: Buffer, start: number, end: number, isSent: boolean): void {
    const read = this.#reader.read(bytes, start, end)
    if (read === undefined) return
    const seen = new Set<string>()
    for (const member of membersOf(this.#tape, this.#root)) {
      const { path, rule } = member
      if (rule.child !== undefined && !rule.whole) continue
      let fill = this.fills.get(path)
      if (fill === undefined && this.fills.size >= MOST_NAMES) {
        this.others++
        continue
      }
      const says = member.prefix + quotedSegment(member.name)
      fill ??= { filled: 0, unsent: 0, example: null, editable: editableOf(member), says }
      if (fill.says !== says) fill.says = null
      this.fills.set(path, fill)
      // An object can have a name twice.
      if (seen.has(path)) continue
      seen.add(path)
      if (!isSent) fill.unsent++
      const value = headOf(read, member)
      if (HOLLOW.has(value)) continue
      fill.filled++
      fill.example ??= shortened(value)
    }
  }
}

/** A long value is cut: all that is asked of it is whether it is hollow, and an example. */
function headOf(read: Buffer, { start, end }: RecordMember): string {
  return read.toString('utf8', start, Math.min(end, start + 4 * EXAMPLE_CHARACTERS + 4))
}

function editableOf({ name, rule }: RecordMember): string | null {
  const names = rule.emits
    .filter(({ into }) => into === 'property')
    .map(({ key, prefix }) => (key === undefined ? prefix + name : keys.text(key)))
  return names.length === 1 ? names[0]! : null
}

function shortened(json: string): string {
  const characters = [...json]
  return characters.length <= EXAMPLE_CHARACTERS
    ? json
    : `${characters.slice(0, EXAMPLE_CHARACTERS).join('')}…`
}
