import type { Mapping } from '../../src/mapping/mapping.ts'
import { pathSegments, quotedSegment } from '../../src/mapping/member-path.ts'
import type { Preset } from '../../src/mapping/preset.ts'
import { asText, elements, opened, slices } from './json.ts'
import { type Mends, mended, noMends } from './service-rules.ts'

const CHILD = '(child)'
const MOST_CHILDREN = 131_072
const MOST_BYTES = 2 ** 30

/** A child as a line of its own, or why it is none. */
export type Child = { readonly line: string } | { readonly reason: string } | { readonly filtered: string }

/** The preset for records that hold their records in a list: `explode` of a mapping file, and the members beside it that stay. */
export function listPreset(preset: Preset, { explode: list, explodeWith: kept = [] }: Mapping): Preset {
  if (list === undefined) return preset
  const inside = (path: string) => `${quotedSegment(list)}.${path}`
  const tableInside = <T>(table: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(table).map(([path, value]) => [inside(path), value]))
  // What is an id, a time or a name in a record is none beside the list.
  const beside = Object.entries(preset.fields).filter(
    ([path, target]) =>
      kept.includes(pathSegments(path)[0]!) && ![target].flat().some((one) => one.startsWith('@')),
  )
  const named = Object.fromEntries(kept.map((name) => [quotedSegment(name), '*']))
  return {
    ...preset,
    explode: { member: list },
    fields: {
      ...tableInside(preset.fields),
      [CHILD]: '@child',
      '*': [],
      ...named,
      ...Object.fromEntries(beside),
    },
    unpack: (preset.unpack ?? []).map(inside),
    ...(preset.takes && {
      takes: Object.fromEntries(
        Object.entries(preset.takes).map(([field, paths]) => [field, paths.map(inside)]),
      ),
    }),
  }
}

/** The lines of a record's children; the record itself where it has no list. */
export function childrenOf(line: string, { explode }: Pick<Preset, 'explode'>, mends: Mends): Child[] {
  if (!explode) return [{ line }]
  const all = slices(line)
  const list = all.findLast(({ name }) => name === explode.member)
  if (!list || all.some(({ name }) => explode.unless?.includes(name))) return [{ line }]
  const json = line.slice(list.start, list.end)
  // A child that runs again has been told its place.
  if (json[0] !== '[' && all.some(({ name, start }) => name === CHILD && line[start] === '{'))
    return [json[0] === '{' ? { line } : { reason: 'child_not_an_object' }]
  if (json === 'null' || json === '""') return [{ filtered: 'no_children' }]
  if (json[0] === '"') {
    const made = noMends()
    const whole = mended(line, false, made)
    // To decode half a surrogate pair would mend it without counting it.
    if (made.lone_surrogate > 0) {
      for (const name of ['lone_surrogate', 'huge_number'] as const) mends[name] += made[name]
      return childrenOf(whole, { explode }, mends)
    }
  }
  const array = json[0] === '"' ? opened(asText(json)) : json
  if (array?.[0] !== '[') return [{ reason: 'children_not_an_array' }]
  const children = elements(array)
  if (children.length === 0) return [{ filtered: 'no_children' }]
  const [before, after] = beside(line, explode.member, list)
  const own = Buffer.byteLength(before + after)
  if (own > 900_000) return [{ reason: 'parent_too_large' }]
  if (children.length > MOST_CHILDREN || own * children.length > MOST_BYTES)
    return [{ reason: 'too_many_children' }]
  const tell = explode.siblings?.(children)
  return children.map((child, n) => {
    const place = JSON.stringify({ number: n + 1, ...tell?.(n) })
    return child[0] === '{'
      ? { line: `${before}${child}${after},"${CHILD}":${place}}` }
      : { reason: 'child_not_an_object' }
  })
}

/** The record up to its list and after it, without its last bracket. An earlier list of that name is null: the last one counts. */
function beside(
  line: string,
  member: string,
  list: { readonly start: number; readonly end: number },
): [string, string] {
  let [before, copied] = ['', 0]
  for (const { name, start, end } of slices(line)) {
    if (name !== member || start === list.start) continue
    before += `${line.slice(copied, start)}null`
    copied = end
  }
  return [before + line.slice(copied, list.start), line.slice(list.end, line.lastIndexOf('}'))]
}
