import {
  type Compiled,
  compile,
  type Mapping,
  membersOf,
  type Preset,
  quotedSegment,
  type RecordMember,
  RecordReader,
} from '../../mapping/index.ts'
import { emptyNotes, keys, MOST_NAMES, Tape } from '../../record/index.ts'
import type { Fill } from './property-rows.ts'

const EXAMPLE_CHARACTERS = 80
const HOLLOW = new Set(['null', '""', '{}', '[]'])

/** Counts how full the members of records are. */
export class MemberFills {
  /** Records with members beyond those that are told apart. */
  others = 0
  readonly fills = new Map<string, Fill>()

  add(members: readonly FoundMember[], isSent: boolean): void {
    const seen = new Set<string>()
    for (const { path, value, editable, says } of members) {
      let fill = this.fills.get(path)
      if (fill === undefined && this.fills.size >= MOST_NAMES) {
        this.others++
        continue
      }
      fill ??= { present: 0, filled: 0, unsent: 0, example: null, editable, says }
      if (fill.says !== says) fill.says = null
      this.fills.set(path, fill)
      // An object can have a name twice.
      if (seen.has(path)) continue
      seen.add(path)
      fill.present++
      if (!isSent) fill.unsent++
      if (HOLLOW.has(value)) continue
      fill.filled++
      fill.example ??= shortened(value)
    }
  }
}

/** A member of a record. */
export interface FoundMember {
  readonly path: string
  /** JSON. */
  readonly value: string
  /** As `Fill.editable`. */
  readonly editable: string | null
  /** The path as a mapping file writes it: names with dots in quotes. */
  readonly says: string
}

/** Finds the members of records that a transform counts, also of records that become no event. */
export class MemberFinder {
  readonly #tape = new Tape()
  readonly #root: Compiled['root']
  readonly #reader: RecordReader

  constructor(preset: Preset, mapping: Mapping) {
    const fields = { ...preset.takes, ...mapping.fields }
    // Without the user's names: the rules then tell the names that the user can change.
    const properties = { rename: {}, drop: [], set: {} }
    this.#root = compile(preset, { ...mapping, fields, properties }).root
    this.#reader = new RecordReader(this.#tape, this.#root, preset, mapping, emptyNotes())
  }

  /** None for a line that is no record. */
  find(bytes: Buffer, start: number, end: number): FoundMember[] {
    const read = this.#reader.read(bytes, start, end)
    if (read === undefined) return []
    return membersOf(this.#tape, this.#root)
      .filter(({ rule }) => rule.child === undefined || rule.whole)
      .map((member) => ({
        path: member.path,
        value: headOf(read, member),
        editable: editableOf(member),
        says: member.prefix + quotedSegment(member.name),
      }))
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
