import type { OPENED as Opened } from '../mapping/fates.ts'
import type { MemberTrace, PartTrace, PlaceTrace } from '../studio/trace.ts'
import { cutTo, pad, visible, width } from '../text/visible.ts'

/** A terminal of fewer columns has the event under the record. */
const SIDE_BY_SIDE = 100
const WIDEST = 200
const GAP = '  '
/** Characters of a value that are shown. */
const MOST_CHARACTERS = 400

/** The word of mapping/fates.ts, whose file the studio's page would load with all that it needs. */
const OPENED: typeof Opened = 'opened'

/** One line of the table: a member, where it went or why not, and by which rule. */
export interface Cells {
  readonly record: string
  readonly event: string
  readonly rule: string
}

/** The members of a record, and the places of its event. */
interface Explained extends Pick<PartTrace, 'members'> {
  readonly event: { readonly places: readonly PlaceTrace[] } | null
}

/** Members of a record beside the places of its event, and then what was added to the event. */
export function explainedMemberLines(part: Explained, columns: number | undefined): string[] {
  const rows = rowsOf(part)
  if (rows.length === 0) return []
  if (columns === undefined || columns < SIDE_BY_SIDE) return rows.flatMap((row) => narrow(row, columns))
  return wide(rows.flat(), Math.min(columns, WIDEST) - 1)
}

/** The rows of each member together. */
export function rowsOf({ members, event }: Explained): Cells[][] {
  const places = event?.places ?? []
  const values = new Map(places.map(({ place, value }) => [place, value]))
  const rows = members
    .filter((member) => !isOpened(member, members))
    .map((member) => memberRows(member, values))
  const added = places.filter(({ origin }) => origin !== null).map((place) => [addedRow(place)])
  return [...rows, ...added]
}

/** True for an object whose members are shown, and that has no use besides. */
export function isOpened({ path, fates }: MemberTrace, members: readonly MemberTrace[]): boolean {
  if (fates.length > 0) return fates.every((fate) => fate === OPENED)
  return members.some((other) => other.path.startsWith(`${path}.`))
}

function memberRows(member: MemberTrace, values: ReadonlyMap<string, string>): Cells[] {
  const { path, to, rules, fates } = member
  const value = member.cell ?? member.value
  const record = namedValue(path, value)
  // That the rule of a member is at its own path goes without saying.
  const rule = rules
    .map((one) => visible(one.endsWith(`: ${path}`) ? one.slice(0, -path.length - 2) : one))
    .join('; ')
  const left = fates.filter((fate) => fate.startsWith('left out'))
  const cells = [
    ...to.map((place) => placeText(place, value, values)),
    ...left.map((fate) => `– ${visible(fate)}`),
  ]
  if (cells.length === 0 && fates.length > 0) cells.push(`→ ${fates.map((fate) => visible(fate)).join(', ')}`)
  const [first = '', ...others] = cells
  return [{ record, event: first, rule }, ...others.map((event) => ({ record: '', event, rule: '' }))]
}

/** A place; with its value, where that is another than the member's. */
export function placeText(place: string, own: string, values: ReadonlyMap<string, string>): string {
  const value = values.get(place)
  if (place === 'link') return '→ the link between two ids'
  return value === undefined || value === own ? `→ ${visible(place)}` : `≠ ${namedValue(place, value)}`
}

function addedRow({ place, value, origin }: PlaceTrace): Cells {
  return { record: '', event: `+ ${namedValue(place, value)}`, rule: visible(origin ?? '') }
}

export function namedValue(name: string, json: string): string {
  const shown = visible(json.slice(0, MOST_CHARACTERS))
  return `${visible(name)} ${json.length > MOST_CHARACTERS ? `${shown}…` : shown}`
}

function wide(rows: readonly Cells[], total: number): string[] {
  const room = total - 2 * GAP.length
  const [most, least] = [Math.floor(room * 0.38), 12]
  const widest = (cell: keyof Cells) => rows.reduce((sum, row) => Math.max(sum, width(row[cell])), least)
  const [left, middle] = [Math.min(most, widest('record')), Math.min(most, widest('event'))]
  const line = ({ record, event, rule }: Cells) =>
    `${pad(record, left)}${GAP}${pad(event, middle)}${GAP}${cutTo(rule, room - left - middle)}`.trimEnd()
  return [{ record: 'record', event: 'event', rule: 'rule' }, ...rows].map(line)
}

/** One under the other. A pipe gets lines of any length: nothing is cut there but the longest values. */
export function narrow(rows: readonly Cells[], columns: number | undefined): string[] {
  const lines = rows.flatMap(({ record, event }) => [
    ...(record === '' ? [] : [record]),
    ...(event === '' ? [] : [record === '' && rows.length === 1 ? event : `  ${event}`]),
  ])
  const rule = rows.find((row) => row.rule !== '')?.rule
  const all = rule === undefined ? lines : [...lines, `    ${rule}`]
  return columns === undefined ? all : all.map((line) => cutTo(line, columns - 1))
}
