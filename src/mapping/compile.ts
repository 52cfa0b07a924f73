import { type Key, keyOf, keys } from '../record/keys.ts'
import { memoize } from '../record/text.ts'
import { type Into, LEFT_OUT } from './fates.ts'
import { labelsOf, mappedRules, targetList } from './mapped-rules.ts'
import type { Mapping } from './mapping.ts'
import { pathSegments, quotedSegment } from './member-path.ts'
import type { Preset } from './preset.ts'
import type { SlotTable } from './slot-view.ts'

/** One place a value is written to. Without a key the value keeps its own name, after `prefix`. */
interface Emit {
  readonly into: Into
  readonly key: Key | undefined
  readonly prefix: string
  /** Of two values for one property the one with the lower rank wins; see `rankOf`. */
  readonly rank: number
}

export interface Rule {
  readonly emits: readonly Emit[]
  /** Numbers of the slots that keep the value; see `Compiled.slots`. */
  readonly slots: readonly number[]
  /** Place in the table: of two members that fill one slot the one with the lower rank wins. */
  readonly rank: number
  readonly child: RuleNode | undefined
  /** Why a value is left out that nothing sends or uses; null when it goes with the object that it is in. */
  readonly leftOut: string | null
  /** True when the value goes where `emits` say although there is a `child`, which then only fills slots. */
  readonly whole: boolean
  /** What could not be used when the value has a `child` and is no object: `preset ga4: device`. */
  readonly label: string
  /** True when a function reads the value as an object or array, so that text that holds one is opened. */
  readonly opens: boolean
}

export interface RuleNode {
  /** Path of the object, with a dot after it; '' for the record itself. */
  readonly prefix: string
  /** Slots of the object itself, when functions take its members from there: the tables send them nowhere. */
  readonly handed: readonly number[]
  readonly named: ReadonlyMap<string, Rule>
  /** For members without a rule of their own whose name begins with `head`. */
  readonly patterns: ReadonlyArray<{ readonly head: string; readonly rule: Rule }>
  readonly rest: Rule
  readonly leavesRestOut: boolean
  /** The rules with rules for an object's own members, in the order of the table. */
  readonly parents: readonly ParentRule[]
}

export interface ParentRule extends Rule {
  readonly child: RuleNode
}

/** A preset and a mapping, made ready for the walk over a record. */
export interface Compiled extends SlotTable {
  readonly root: RuleNode
}

/** Slot for a property named distinct_id, since that name holds the event's own id. */
export const FOREIGN_ID = '~distinct_id'

/** Compiles the tables into trees of rules. */
export function compile(preset: Preset, mapping: Mapping): Compiled {
  const fields = new Map<string, readonly Target[]>()
  for (const [path, target] of Object.entries(preset.fields))
    fields.set(path, targetList(target).map(targetOf))
  const rules = mappedRules(preset, mapping)
  for (const { path, slot, taken } of rules) {
    const before = targetsOf(fields, path)
    fields.set(path, [...(taken ? before.filter(isSlot) : before), targetOf(`@${slot}`)])
  }

  const slots = new Map<string, number>()
  const ranks = new Map([...fields.keys()].map((path, index) => [path, index]))
  const dividedPaths = parentsIn(Object.keys(preset.fields))
  const divided = (path: string) => dividedPaths.has(path)
  const opened = [...(preset.unpack ?? []), ...Object.values(mapping.groups)]
  const labelOf = (path: string) => {
    const below = rules.filter((rule) => rule.path.startsWith(`${path}.`)).map(({ label }) => label)
    return `${divided(path) ? `preset ${preset.vendor}` : below.join(', ')}: ${path}`
  }
  const lookedInto = parentsIn([...fields.keys()])
  const root = buildNode('', { fields, ranks, slots, mapping, divided, lookedInto, opened, labelOf })
  return { root, slots, labels: labelsOf(preset, rules) }
}

/** A target of a preset's table. Its notation is read before a member's own name comes in, which may look like one. */
interface Target {
  readonly slot: string | undefined
  readonly into: Into
  readonly name: string
  /** True where the member's own name comes behind `name`. */
  readonly isOwn: boolean
}

function targetOf(text: string): Target {
  if (text.startsWith('@')) return { slot: text.slice(1), into: 'property', name: '', isOwn: false }
  const [, scope, name] = /^(?:(set|once):)?(.*)$/s.exec(text)!
  const into = scope === undefined ? 'property' : (scope as Into)
  return { slot: undefined, into, name: name!.replace(/\*$/, ''), isOwn: name!.endsWith('*') }
}

const OWN_NAME = targetOf('*')

function isSlot({ slot }: Target): boolean {
  return slot !== undefined
}

interface Tables {
  readonly fields: ReadonlyMap<string, readonly Target[]>
  readonly ranks: ReadonlyMap<string, number>
  /** Filled in as slots are met. */
  readonly slots: Map<string, number>
  readonly mapping: Mapping
  divided(path: string): boolean
  /** Paths of the objects that a rule is below. */
  readonly lookedInto: ReadonlySet<string>
  /** Paths of values that are read as an object or array, though no rule is below them. */
  readonly opened: readonly string[]
  /** What messages call the rules below a path. */
  labelOf(path: string): string
}

/** What stands before each dot of these paths. A search through all paths for each one would take most of the start. */
function parentsIn(paths: readonly string[]): ReadonlySet<string> {
  return new Set(paths.flatMap((path) => [...path.matchAll(/\./g)].map(({ index }) => path.slice(0, index))))
}

/** The targets of a path, patterns of its parents included. */
function targetsOf(fields: ReadonlyMap<string, readonly Target[]>, path: string): readonly Target[] {
  const own = fields.get(path)
  if (own) return own
  const names = pathSegments(path)
  const name = names.at(-1)!
  const prefix = path.slice(0, path.length - quotedSegment(name).length)
  return named(fields.get(patternFor(fields, prefix, name)) ?? [OWN_NAME], name)
}

/** The path of the pattern that applies to a name without a rule of its own. */
export function patternFor(fields: ReadonlyMap<string, unknown>, prefix: string, name: string): string {
  const heads = headsOf(fields, prefix).filter((head) => name.startsWith(head))
  return `${prefix}${heads.sort((a, b) => b.length - a.length)[0] ?? ''}*`
}

/** The beginnings of names that have a pattern: 'initial_' for 'initial_*'. */
function headsOf(fields: ReadonlyMap<string, unknown>, prefix: string): string[] {
  return [...fields.keys()]
    .filter((path) => path.startsWith(prefix) && /^[^.]+\*$/.test(path.slice(prefix.length)))
    .map((path) => path.slice(prefix.length, -1))
}

function named(targets: readonly Target[], own: string): readonly Target[] {
  return targets.map((one) => (one.isOwn ? { ...one, name: one.name + own, isOwn: false } : one))
}

/**
 * The rules for an object's members. When `silent`, the object is copied whole and the rules only fill slots. `own` are
 * the slots of the object itself.
 */
function buildNode(prefix: string, tables: Tables, own: readonly number[] = [], silent = false): RuleNode {
  const { fields, ranks, slots, mapping, opened } = tables
  const names = new Set<string>()
  for (const path of [...fields.keys(), ...opened]) {
    if (!path.startsWith(prefix)) continue
    const below = path.slice(prefix.length)
    if (!/^[^.]*\*$/.test(below)) names.add(pathSegments(below)[0]!)
  }
  const given = (path: string) => (silent ? [] : (fields.get(path) ?? [OWN_NAME]))
  const heads = headsOf(fields, prefix).sort((a, b) => b.length - a.length)
  // Names that the mapping file renames or drops, and distinct_id, which is taken, get rules of their own.
  for (const name of overlaid(mapping)) {
    for (const head of [...heads, '']) {
      for (const target of given(`${prefix}${head}*`)) {
        const own = ownNameFor(target, name)
        if (own?.startsWith(head)) names.add(own)
      }
    }
  }
  /** Without a name and its path: of a pattern. */
  const ruleOf = (targets: readonly Target[], rank: number, name?: string, path?: string): Rule => {
    const whole = path === undefined || !tables.divided(path)
    const inside = path !== undefined && tables.lookedInto.has(path)
    const ownSlots = slotsOf(targets, slots, mapping)
    return {
      emits: emitsOf(targets, rank, mapping, name),
      slots: ownSlots,
      rank,
      child: inside ? buildNode(`${path}.`, tables, ownSlots, whole) : undefined,
      leftOut: silent ? null : leftOutBy(targets, mapping),
      whole,
      opens: path !== undefined && opened.includes(path),
      label: inside ? tables.labelOf(path) : '',
    }
  }
  const rules = [...names].map((name): Rule => {
    const path = prefix + quotedSegment(name)
    const pattern = `${prefix}${heads.find((head) => name.startsWith(head)) ?? ''}*`
    const all = fields.get(path) ?? (tables.divided(path) ? [OWN_NAME] : given(pattern))
    const targets = named(silent ? all.filter(isSlot) : all, name)
    return ruleOf(targets, ranks.get(path) ?? ranks.get(pattern) ?? ranks.size, name, path)
  })
  const patternRule = (head: string): Rule => {
    const path = `${prefix}${head}*`
    return ruleOf(given(path), ranks.get(path) ?? ranks.size)
  }
  return {
    prefix,
    handed: !silent && given(`${prefix}*`).length === 0 ? own : [],
    named: new Map([...names].map((name, index) => [name, rules[index]!])),
    patterns: heads.map((head) => ({ head, rule: patternRule(head) })),
    rest: patternRule(''),
    leavesRestOut: prefix === '' && given('*').length === 0,
    parents: rules.filter((rule): rule is ParentRule => rule.child !== undefined),
  }
}

function overlaid(mapping: Mapping): string[] {
  return [
    ...Object.keys(mapping.properties.rename),
    ...mapping.properties.drop,
    'distinct_id',
    HEATMAP_DATA,
    UNSET,
  ]
}

/** The source name that a pattern target turns into the property `name`, if there is one. */
function ownNameFor({ into, name: prefix, isOwn }: Target, name: string): string | undefined {
  if (!isOwn || into !== 'property') return undefined
  return name.startsWith(prefix) && name.length > prefix.length ? name.slice(prefix.length) : undefined
}

function slotsOf(targets: readonly Target[], slots: Map<string, number>, mapping: Mapping): number[] {
  return targets.flatMap((target) => {
    const slot = target.slot ?? FOREIGN_ID
    if (slot === FOREIGN_ID && !isForeignId(target, mapping)) return []
    if (!slots.has(slot)) slots.set(slot, slots.size)
    return [slots.get(slot)!]
  })
}

function isForeignId({ slot, into, name, isOwn }: Target, mapping: Mapping): boolean {
  return !slot && into === 'property' && !isOwn && finalName(name, mapping) === 'distinct_id'
}

/**
 * The rank of a value for a property: by its place in the table; within one place first values that the table names,
 * then values that the user renames, in the order of the mapping file, then values that keep their own name. The last
 * two kinds have odd ranks.
 */
function rankOf(place: number, mapping: Mapping, name: string, source: string | undefined): number {
  const renames = namedBy(mapping.properties).renamed
  const step = 2 * renames.size + 2
  if (name !== source) return place * step
  const renamed = renames.get(name)
  return place * step + (renamed === undefined ? step - 1 : 2 * renamed + 1)
}

/** True for the rank of a value under its own name or the user's: when it loses that name it needs another. */
export function isOwnName(rank: number): boolean {
  return (rank & 1) === 1
}

function emitsOf(targets: readonly Target[], place: number, mapping: Mapping, source?: string): Emit[] {
  const emits: Emit[] = []
  for (const { slot, into, name, isOwn } of targets) {
    if (slot !== undefined) continue
    const person = personScope(into, mapping)
    if (person === undefined) continue
    if (isOwn) {
      emits.push({ into: person, key: undefined, prefix: name, rank: rankOf(place, mapping, name, '') })
      continue
    }
    const final = into === 'property' ? finalName(name, mapping) : name
    if (final === undefined || (into === 'property' && final === 'distinct_id')) continue
    emits.push({ into: person, key: keyOf(final), prefix: '', rank: rankOf(place, mapping, name, source) })
  }
  return emits
}

/** The rule by which a value goes nowhere when no target takes it. */
function leftOutBy(targets: readonly Target[], mapping: Mapping): string {
  const sent = targets.filter((target) => !isSlot(target))
  const isPersons = ({ into }: Target) => into !== 'property'
  const gone = sent.filter(
    (one) => !isPersons(one) && !one.isOwn && finalName(one.name, mapping) === undefined,
  )
  if (gone.length > 0) return gone.map(({ name }) => GONE.get(name)).find(Boolean) ?? LEFT_OUT.dropped
  return sent.some(isPersons) ? LEFT_OUT.person : LEFT_OUT.preset
}

/** Where a target goes after the user's choice about person properties; undefined for nowhere. */
export function personScope(into: Into, mapping: Mapping): Into | undefined {
  if (into === 'property' || mapping.personProperties === 'set') return into
  return mapping.personProperties === 'set_once' ? 'once' : undefined
}

/** Never sent: the service makes another event of it with an id by chance, so each time it is sent doubles its heatmaps. */
const HEATMAP_DATA = '$heatmap_data'
/** Takes properties from a person, so it is sent only where history may change persons as it did. */
const UNSET = '$unset'
/** Why a property goes that the user does not drop. */
const GONE = new Map([
  [HEATMAP_DATA, LEFT_OUT.service],
  [UNSET, LEFT_OUT.person],
])

interface NamesOf {
  readonly dropped: ReadonlySet<string>
  readonly renamed: ReadonlyMap<string, number>
}

// Each name of a list is asked for in turn: a search through the list each time would take minutes for a long one.
const known = new WeakMap<Mapping['properties'], NamesOf>()

/** The names that a mapping file drops, and those that it renames with their place in it, from 0. */
function namedBy(properties: Mapping['properties']): NamesOf {
  const renames = () => new Map(Object.keys(properties.rename).map((name, place) => [name, place]))
  const found = known.get(properties) ?? { dropped: new Set(properties.drop), renamed: renames() }
  known.set(properties, found)
  return found
}

/** A property's name after the mapping file; undefined for a property that the file drops, or that is never sent. */
export function finalName(name: string, { properties, personProperties }: Mapping): string | undefined {
  if (namedBy(properties).dropped.has(name)) return undefined
  const { rename } = properties
  const final = Object.hasOwn(rename, name) ? rename[name] : name
  return final === HEATMAP_DATA || (final === UNSET && personProperties !== 'set') ? undefined : final
}

/** A property's name after the mapping file. */
interface Final {
  readonly name: string
  /** Holds for the names of this generation. */
  key: Key
  generation: number
}

/** The final names of properties, remembered: functions of presets name the same few for every record. */
export class FinalNames {
  readonly #finals: (name: string) => Final | null

  constructor(mapping: Mapping) {
    this.#finals = memoize((name) => {
      const final = finalName(name, mapping)
      return final === undefined
        ? null
        : { name: final, key: keys.ofText(final), generation: keys.generation }
    })
  }

  /** Null for a property that the user drops. */
  of(name: string): Final | null {
    const final = this.#finals(name)
    if (final !== null && final.generation !== keys.generation) {
      final.key = keys.ofText(final.name)
      final.generation = keys.generation
    }
    return final
  }
}
