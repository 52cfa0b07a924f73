import { patternFor } from '../compile.ts'
import { HASHED, LEFT_OUT } from '../fates.ts'
import { mappedRules, targetList } from '../mapped-rules.ts'
import type { MappedField, Mapping } from '../mapping.ts'
import { quotedSegment } from '../member-path.ts'
import type { Preset } from '../preset.ts'
import type { RecordMember } from './record-members.ts'
import { NO_RULE } from './traced-member.ts'

/** Tells where the rules stand that a member of a record falls under. */
export class MemberRules {
  readonly #preset: Preset
  readonly #mapping: Mapping
  readonly #rows: ReadonlyMap<string, readonly string[]>
  /** Path -> what the mapping file, or the preset in its place, reads it for. */
  readonly #read = new Map<string, string[]>()

  constructor(preset: Preset, mapping: Mapping) {
    this.#preset = preset
    this.#mapping = mapping
    this.#rows = new Map(Object.entries(preset.fields).map(([path, target]) => [path, targetList(target)]))
    const fields = { ...preset.takes, ...mapping.fields }
    for (const { path, label } of mappedRules(preset, { ...mapping, fields })) {
      const field = /^fields\.(.*)$/s.exec(label)?.[1] as MappedField | 'time' | undefined
      const isOwn = field === undefined || field === 'time' || mapping.fields[field] !== undefined
      const from = isOwn ? 'mapping file' : `preset ${preset.vendor}`
      this.#read.set(path, [...(this.#read.get(path) ?? []), `${from}: ${label}`])
    }
  }

  /** The rules of one member, those of the mapping file first; `fates` as the record's event gave it. */
  of({ path, name, prefix }: RecordMember, fates: readonly string[]): string[] {
    const row = this.#rows.has(path) ? path : patternFor(this.#rows, prefix, name)
    const targets = (this.#rows.get(row) ?? ['*']).map((target) => target.replace('*', () => name))
    const own = [
      ...(this.#read.get(prefix + quotedSegment(name)) ?? []),
      ...this.#overlays(targets, name, fates),
    ]
    return [...new Set([...own, ...this.#presetRule(row, own.length > 0)])]
  }

  /** The same of a part of a member that a function put into `to`, or nowhere. */
  ofPart(whole: RecordMember, to: string | undefined, fates: readonly string[]): string[] {
    const own = to === undefined ? [] : this.#overlays([to], to, fates)
    return [...new Set([...own, ...this.of(whole, [])])]
  }

  /** What the mapping file does to the properties that the preset's row makes. */
  #overlays(targets: readonly string[], name: string, fates: readonly string[]): string[] {
    const { rename, drop, set } = this.#mapping.properties
    const found: string[] = []
    for (const target of targets) {
      if (/^(?:@|set:|once:)/.test(target)) continue
      if (drop.includes(target)) found.push(`mapping file: properties.drop.${target}`)
      else if (Object.hasOwn(rename, target)) found.push(`mapping file: properties.rename.${target}`)
    }
    if (fates.includes(LEFT_OUT.replaced)) {
      const target = targets.find((one) => Object.hasOwn(set, one)) ?? name
      found.push(`mapping file: properties.set.${target}`)
    }
    if (fates.includes(HASHED)) found.push('mapping file: properties.hash')
    if (fates.includes(LEFT_OUT.person)) found.push(`person properties: ${this.#mapping.personProperties}`)
    return found
  }

  #presetRule(row: string, hasOwn: boolean): string[] {
    const { vendor } = this.#preset
    const isNamed = !/(?:^|\.)\*$/.test(row)
    if (isNamed) return [`preset ${vendor}: ${row}`]
    if (hasOwn) return []
    const targets = this.#rows.get(row)
    return [targets?.length === 0 ? `${NO_RULE}: preset ${vendor} leaves out ${row}` : NO_RULE]
  }
}
