import type { MappedField, Mapping } from './mapping.ts'
import type { Preset, Target } from './preset.ts'

/** Slot that holds what the mapping file names for a field: `~distinct_id:0`. */
export function mappedSlot(field: string, index: number): string {
  return `~${field}:${index}`
}

/** Slot that holds what `filter.where` asks of a record. */
export function whereSlot(path: string): string {
  return mappedSlot(`where:${path}`, 0)
}

/**
 * The slots that hold ids of people: those of the preset, and those of the fields that the mapping file chooses. None for
 * records in the service's own form, where a word such as NULL is what the service takes it for.
 */
export function idSlots({ ids = [], empty }: Preset, fields: Mapping['fields']): string[] {
  if (empty === undefined) return []
  const mapped = (['distinct_id', 'anonymous_id'] as const).flatMap((field) =>
    (fields[field] ?? []).map((_, index) => mappedSlot(field, index)),
  )
  return [...ids, ...mapped]
}

interface MappedRule {
  readonly path: string
  readonly slot: string
  /** What messages call the rule: `groups.company`. */
  readonly label: string
  /** True when the member is no property besides. */
  readonly taken: boolean
}

/** All rules of a mapping file that read a path of the record. */
export function mappedRules(preset: Preset, mapping: Mapping): MappedRule[] {
  const groups = Object.entries(mapping.groups).map(([type, path]) => {
    return { path, slot: mappedSlot(`group:${type}`, 0), label: `groups.${type}`, taken: false }
  })
  const where = Object.keys(mapping.filter.where).map((path) => {
    return { path, slot: whereSlot(path), label: 'filter.where', taken: false }
  })
  const types = Object.keys(mapping.types ?? {}).map((path) => {
    return { path, slot: mappedSlot(`type:${path}`, 0), label: 'types', taken: false }
  })
  return [...fieldRules(preset, mapping), ...groups, ...where, ...types]
}

/** The first path of a field that holds a value is the field. With several paths, all of them stay properties too, and so does a person's property. */
function fieldRules(preset: Preset, mapping: Mapping): MappedRule[] {
  return Object.entries(mapping.fields).flatMap(([field, paths]) => {
    const isOfPerson = paths[0]?.startsWith('$set.')
    const taken = preset.takes?.[field as MappedField] !== undefined && paths.length === 1 && !isOfPerson
    const label = `fields.${field === 'timestamp' && mapping.joinsTime ? 'time' : field}`
    return paths.map((path, index) => ({ path, slot: mappedSlot(field, index), label, taken }))
  })
}

/** What messages call the rule that fills a slot, with the member: `preset mixpanel: properties.time`. */
export function labelsOf(preset: Preset, rules: readonly MappedRule[]): Map<string, string[]> {
  const labels = new Map<string, string[]>()
  const add = (slot: string, label: string) => labels.set(slot, [...(labels.get(slot) ?? []), label])
  for (const [path, target] of Object.entries(preset.fields)) {
    for (const one of targetList(target))
      if (one.startsWith('@')) add(one.slice(1), `preset ${preset.vendor}: ${path}`)
  }
  for (const { slot, label, path } of rules) add(slot, `${label}: ${path}`)
  return labels
}

export function targetList(target: Target): readonly string[] {
  return typeof target === 'string' ? [target] : target
}
