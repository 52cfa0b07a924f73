import { ON_EVERY } from '../../mapping/constant-properties.ts'
import { HOLDERS } from '../../mapping/record-tracer.ts'
import { isOpened, namedValue, narrow, placeText } from '../../records/member-table.ts'
import type { MemberTrace, PartTrace, PlaceTrace } from '../../studio/trace.ts'
import { fold } from '../../text/fold.ts'
import { cutTo, pad, visible, width } from '../../text/visible.ts'
import { plural } from '../../text/words.ts'

/** Rows that are shown of an event, and names on a list; `explain` has all. */
const MOST_ROWS = 8
const MOST_NAMES = 8
/** A terminal of fewer columns has the event under the record. */
const SIDE_BY_SIDE = 60
const LEFT = 'left out: '
const AGAIN = 'as before'

/**
 * An event beside the members that it is made of, as a dry run shows many: rows of other values, other places and what was
 * added, in this order, and lists of members that were kept or left out. A member of which `seen` has the same is only
 * named. No line has more than `columns`.
 */
export function briefLines({ members, event }: PartTrace, columns: number, seen: Set<string>): string[] {
  const places = event?.places ?? []
  const values = new Map(places.map(({ place, value }) => [place, value]))
  /** What is said of the event -> the members that it is made of. */
  const rows = new Map<string, string>()
  const moved: { path: string; said: string }[] = []
  const lists = new Map<string, string[]>()
  const list = (label: string, names: readonly string[]) =>
    lists.set(label, [...(lists.get(label) ?? []), ...names])
  const put = (said: string, path: string, record: string) =>
    rows.set(said, rows.has(said) ? `${rows.get(said)}, ${visible(path)}` : record)
  for (const member of members) {
    if (isTold(member, members)) continue
    const { path, to, fates } = member
    const value = member.cell ?? member.value
    const left = fates.filter((fate) => fate.startsWith(LEFT))
    for (const fate of left) {
      list(seen.has(`${path} ${fate}`) ? AGAIN : fate.replace(':', ','), [path])
      seen.add(`${path} ${fate}`)
    }
    const changed = to.filter((place) => (values.get(place) ?? value) !== value)
    for (const place of changed)
      put(placeText(place, value, values).replace('properties.', ''), path, namedValue(path, value))
    const names = shortNames(to.filter((place) => !changed.includes(place)))
    if (to.length === 0 && left.length === 0) names.push(...fates)
    const own = path.slice(path.lastIndexOf('.') + 1)
    const said = `→ ${visible(names.join(', '))}`
    if (names.every((name) => name.replace(/ \(\$set.*\)$/, '') === own)) list('kept', names)
    else if (seen.has(`${path} ${said}`)) list(AGAIN, [path])
    else {
      put(said, path, namedValue(path, value))
      moved.push({ path, said })
    }
  }
  for (const said of additions(places)) rows.set(said, '')
  const all = [...rows].sort(([a], [b]) => MARKS.indexOf(a[0]!) - MARKS.indexOf(b[0]!))
  const more = all.length - MOST_ROWS
  const hidden = new Set(all.slice(MOST_ROWS).map(([said]) => said))
  for (const { path, said } of moved) if (!hidden.has(said)) seen.add(`${path} ${said}`)
  return [
    ...pairLines(all.slice(0, MOST_ROWS), columns),
    ...(more > 0 ? [`… and ${plural(more, 'more row')}: posthaul explain`] : []),
    ...[...lists].flatMap(([label, names]) => nameLines(label, names, columns)),
  ].map((line) => cutTo(line, columns))
}

const MARKS = '≠→+'

/** What comes from no member, and not with every event. */
function additions(places: readonly PlaceTrace[]): string[] {
  const added = new Map<string, string[]>()
  for (const { place, value, origin } of places)
    if (origin !== null && origin !== ON_EVERY) added.set(value, [...(added.get(value) ?? []), place])
  return [...added].map(([value, all]) => `+ ${namedValue(shortNames(all).join(', '), value)}`)
}

/** A list of names with its label, folded, with so many of them as a reader looks at. */
export function nameLines(label: string, names: readonly string[], columns: number): string[] {
  if (names.length === 0) return []
  // A name stays on one line, with its blanks.
  const shown = names
    .slice(0, MOST_NAMES)
    .map((name) => cutTo(visible(name), columns - 5).replaceAll(' ', '\u00a0'))
  if (names.length > MOST_NAMES) shown.push(`and ${names.length - MOST_NAMES} more`)
  const lines = fold(`${label}: ${shown.join(', ')}`, '    ', '', columns)
  return lines.map((line) => line.replaceAll('\u00a0', ' '))
}

/** True for an object that its members tell of. */
function isTold(member: MemberTrace, members: readonly MemberTrace[]): boolean {
  if (!member.value.startsWith('{')) return false
  if (isOpened(member, members)) return true
  const own = members.filter(({ path }) => path.startsWith(`${member.path}.`))
  return own.length > 0 && member.to.every((place) => own.some(({ to }) => to.includes(place)))
}

/** Places as a reader knows them: a property by its name, with what the person has of the same name beside it. */
function shortNames(places: readonly string[]): string[] {
  const names = new Set(places.map((place) => place.replace(/^properties\./, '')))
  const holdersOf = (name: string) => HOLDERS.filter((holder) => names.has(`${holder}.${name}`))
  return [...names].flatMap((name) => {
    const [, rest = ''] = /^\$set(?:_once)?\.(.*)$/s.exec(name) ?? []
    if (names.has(rest)) return []
    const holders = holdersOf(name)
    return [holders.length > 0 ? `${name} (${holders.join(', ')})` : name]
  })
}

function pairLines(rows: ReadonlyArray<readonly [event: string, record: string]>, columns: number): string[] {
  if (columns < SIDE_BY_SIDE)
    return rows.flatMap(([event, record]) => narrow([{ record, event, rule: '' }], columns))
  const widest = rows.reduce((most, [, record]) => Math.max(most, width(record)), 0)
  // A time and an id need more room than the members that they are made of.
  const left = Math.min(widest, Math.floor(columns * 0.45))
  return rows.map(([event, record]) => `${pad(record, left)}  ${event}`)
}
