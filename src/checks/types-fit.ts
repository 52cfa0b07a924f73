/** The service creates no more group types than this in a project. */
export const MAX_GROUP_TYPES = 5

/** Events of a group type that are to be imported: how many show a group of it, and the oldest that names one. */
export interface TypeToSend {
  readonly events: number
  /** Microseconds; infinite if no event can make the type first, since none has a usable key. */
  readonly oldest: number
}

/** A group type of the project. */
export interface TypeThere {
  readonly name: string
  /** Groups of it are seen only on events from this instant on (microseconds); null: on all. */
  readonly since: number | null
}

/** A type that the project has, but that begins after some of the events to be imported. */
export interface YoungerType {
  readonly type: string
  readonly since: number
  readonly oldest: number
  /** So many events would not show their group. `atMost`: perhaps fewer. */
  readonly hidden: number
  readonly atMost: boolean
}

/** How the group types of the events fit those of the project. */
export interface TypesFit {
  /** All types, the project's first, if there is no room for all; else none. */
  readonly tooMany: readonly string[]
  readonly younger: readonly YoungerType[]
  /** Types that the project does not have yet, the one with the oldest event first. */
  readonly missing: readonly (TypeToSend & { readonly type: string })[]
}

/** Holds the group types of events against those of the project. Pure. */
export function fitOf(
  sent: ReadonlyMap<string, TypeToSend>,
  project: readonly TypeThere[],
  hidden?: ReadonlyMap<string, number>,
): TypesFit {
  const there = new Map(project.map(({ name, since }) => [name, since]))
  const absent = [...sent]
    .filter(([type]) => !there.has(type))
    .map(([type, events]) => ({ type, ...events }))
    .sort((a, b) => (a.oldest === b.oldest ? (a.type < b.type ? -1 : 1) : a.oldest - b.oldest))
  const younger: YoungerType[] = []
  for (const [type, { events, oldest }] of sent) {
    const since = there.get(type)
    if (since === undefined || since === null || oldest >= since) continue
    const count = hidden?.get(type)
    const found = { type, since, oldest, hidden: count ?? events, atMost: count === undefined }
    if (found.hidden > 0) younger.push(found)
  }
  const all = [...there.keys(), ...absent.map(({ type }) => type)]
  const tooMany = absent.length > 0 && all.length > MAX_GROUP_TYPES ? all : []
  return { tooMany, younger, missing: absent.filter(isMakeable) }
}

/** The service takes no notice of a group event without a type or a key. */
function isMakeable({ type, oldest }: TypeToSend & { readonly type: string }): boolean {
  return type !== '' && Number.isFinite(oldest)
}

/** What the project says of its group types: how those of the events fit, or why nobody knows. */
export interface GroupsAsked {
  readonly fit?: TypesFit | undefined
  readonly unasked?: string | undefined
}
