import { PosthaulError } from '../errors.ts'
import { CHILD } from './explode.ts'
import { targetList } from './mapped-rules.ts'
import { pathSegments, quotedSegment } from './member-path.ts'
import type { Preset } from './preset.ts'

/**
 * The preset for records that hold a list of its records, `list` is the member of a mapping file's `explode`. The preset's rules hold for
 * the elements. Members beside the list are of the envelope, and left out: a key, a cursor or a count is nothing that each
 * element says. Those of `kept` (`explode_with`) are properties; fields and groups may be named beside the list too. An id of the
 * whole is none of each element: with one id, all elements would be one event.
 */
export function explodedPreset(
  preset: Preset,
  list: string | undefined,
  kept: readonly string[] = [],
): Preset {
  if (list === undefined) return preset
  assertCut(preset, list)
  const inside = (path: string) => `${quotedSegment(list)}.${path}`
  const keysInside = <T>(table: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(table).map(([path, value]) => [inside(path), value]))
  const { fields, takes, unpack = [], undocumented } = preset
  const beside = Object.entries(fields).filter(
    ([path, target]) =>
      kept.includes(pathSegments(path)[0]!) && targetList(target).every((one) => !one.startsWith('@')),
  )
  const named = Object.fromEntries(kept.map((name) => [quotedSegment(name), '*']))
  return {
    ...preset,
    explode: { member: list },
    leavesEnvelopeOut: true,
    fields: { ...keysInside(fields), [CHILD]: '@child', '*': [], ...named, ...Object.fromEntries(beside) },
    unpack: unpack.map(inside),
    ...(takes && {
      takes: Object.fromEntries(Object.entries(takes).map(([field, paths]) => [field, paths.map(inside)])),
    }),
    ...(undocumented && { undocumented: keysInside(undocumented) }),
  }
}

function assertCut({ vendor, explode, reshape, sideTables = [] }: Preset, list: string): void {
  const why = explode
    ? `cuts its records by itself, by ${explode.member}`
    : reshape || sideTables.length > 0
      ? 'reads its records as a whole'
      : undefined
  if (why === undefined) return
  throw new PosthaulError(`explode: ${list} can't be: the preset ${vendor} ${why}`, {
    code: 'config',
    hint: 'take explode out of the mapping file, or use preset: events and name what the elements hold',
  })
}
