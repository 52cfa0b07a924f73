import { type AroundKind, type AroundRow, rowKey } from '../../around/index.ts'
import type { SourceNames } from '../../mapping/index.ts'
import type { AroundItem } from './result.ts'

export interface FinalRows<K extends AroundKind> {
  readonly rows: readonly AroundRow<K>[]
  /** Those that are not carried. */
  readonly skipped: readonly AroundItem[]
}

/** The members of a record that hold properties of events and of persons, by preset. Elsewhere names are final already. */
const PARENTS: Readonly<Record<string, Partial<Record<AroundRow<'properties'>['of'], string>>>> = {
  mixpanel: { event: 'properties' },
  amplitude: { event: 'event_properties', person: 'user_properties' },
  posthog: { event: 'properties' },
}

/** What the presets' functions call properties of persons and groups. A mapping file neither renames them nor leaves them out. */
const PROFILES: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  mixpanel: new Map([
    ['$email', 'email'],
    ['$name', 'name'],
  ]),
}

/** Before the ids of members that are devices: the transform takes it off. */
const DEVICE_PREFIXES: Readonly<Record<string, string>> = { mixpanel: '$device:' }

/** The names of a vendor's things after the mapping. */
export interface FinalNaming {
  event(name: string): string | undefined
  property(of: AroundRow<'properties'>['of'], name: string): string | undefined
  /** The distinct_id of a cohort's member. */
  member(id: string): string
}

/** `names`: undefined without a mapping file, of a folder that holds final names. */
export function namingOf(vendor: string | undefined, names: SourceNames | undefined): FinalNaming {
  const parents = PARENTS[vendor ?? ''] ?? {}
  const prefix = DEVICE_PREFIXES[vendor ?? ''] ?? ''
  return {
    event: (name) => (names ? names.event(name) : name),
    property: (of, name) => {
      const profiles = of === 'event' ? undefined : PROFILES[vendor ?? '']
      if (profiles) return profiles.get(name) ?? name
      return names ? names.property(parents[of], name) : name
    },
    member: (id) => (id.startsWith(prefix) ? id.slice(prefix.length) : id),
  }
}

const DROPPED = 'the mapping leaves it out'

/** Events and properties by their final names. Where several get one name, the first that says something is taken. */
export function finalEvents(rows: readonly AroundRow<'events'>[], naming: FinalNaming): FinalRows<'events'> {
  return renamed('events', rows, ({ name }) => naming.event(name))
}

export function finalProperties(
  rows: readonly AroundRow<'properties'>[],
  naming: FinalNaming,
): FinalRows<'properties'> {
  return renamed('properties', rows, ({ of, name }) => naming.property(of, name))
}

function renamed<K extends 'events' | 'properties'>(
  kind: K,
  rows: readonly AroundRow<K>[],
  nameOf: (row: AroundRow<K>) => string | undefined,
): FinalRows<K> {
  const found = new Map<string, AroundRow<K>>()
  const skipped: AroundItem[] = []
  for (const row of rows) {
    const name = nameOf(row)
    if (name === undefined) {
      skipped.push({ kind, name: row.name, state: 'skipped', fields: [], why: DROPPED })
      continue
    }
    const final = { ...row, name }
    const key = rowKey(kind, final)
    const before = found.get(key)
    const tags = [...(before?.tags ?? []), ...(final.tags ?? [])]
    found.set(key, before ? { ...final, ...before, tags } : final)
  }
  return { rows: [...found.values()], skipped }
}

/** The description with the display name before it: PostHog has no field for that. */
export function wholeDescription(row: AroundRow<'events'>): string | undefined {
  const { name, display_name: shown, description } = row
  if (!shown || shown === name) return description
  return description ? `${shown}: ${description}` : shown
}

type Words = Partial<AroundRow<'annotations'> & AroundRow<'dashboards'>>

/**
 * A row with its words as the service keeps them: without blanks and line ends around them (the CharField of Django REST
 * framework, whose `trim_whitespace` is on). Blocks of YAML end with one. The names of definitions are those of the events.
 */
export function trimmed<R extends AroundRow>(row: R): R {
  const { name, text, description, tiles } = row as Words
  return {
    ...row,
    ...('id' in row && name !== undefined && { name: name.trim() }),
    ...(text !== undefined && { text: text.trim() }),
    ...(description !== undefined && { description: description.trim() }),
    ...(tiles && {
      tiles: tiles.map((tile) => ({
        ...tile,
        ...(tile.text !== undefined && { text: tile.text.trim() }),
      })),
    }),
  }
}
