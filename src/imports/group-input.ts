import { fitOf, GroupsSeen, hiddenIn, sentOf, type TypesFit, type TypeToSend } from '../checks/groups-seen.ts'
import { assertGoing, failureOf, type PosthaulError } from '../errors.ts'
import type { GuardFacts } from '../guards/guard.ts'
import type { Io } from '../io.ts'
import type { Options } from '../options/options.ts'
import type { ReaderValues } from '../options/service-settings.ts'
import { dayOf, dayText, parseTime } from '../record/time.ts'
import type { GroupType } from '../service/groups.ts'
import { openStore } from '../store/open.ts'
import { progressFor } from '../telemetry/progress.ts'
import { askProject } from './ask-project.ts'
import type { EventRules } from './event-files.ts'
import type { SourceOrder } from './import-order.ts'

/** The groups of what is to be imported. */
interface GroupInput {
  /** What the manifest says; undefined where only a pass over all events tells. */
  readonly known: ReadonlyMap<string, TypeToSend> | undefined
  /** What somebody who read all events has seen of them. */
  readonly seen?: GroupsSeen | undefined
  /** The UTC days of its events. */
  readonly days: readonly string[]
  /** Reads the events, of a dataset those of `days`. Throws `interrupted`. */
  read(seen: GroupsSeen, pass: GroupPass, days?: ReadonlySet<string>): Promise<void>
}

interface GroupPass {
  readonly signal: AbortSignal
  /** Called before `total` bytes are read. */
  readonly progress: (total: number) => { add(bytes: number): void; stop(): void }
}

/** Opens the input of an import, to look at its groups. `seen`: those of files that were read already. */
export async function groupInputOf({ input, ...rules }: SourceOrder, seen?: GroupsSeen): Promise<GroupInput> {
  return input.kind === 'dataset' ? ofDataset(input.path) : ofFiles(input.files, rules, seen)
}

async function ofDataset(path: string): Promise<GroupInput> {
  const { readEventsManifest } = await import('../store/dataset.ts')
  const store = await openStore(path)
  const manifest = await readEventsManifest(store)
  const { groups, parts } = manifest
  const known = new Map(
    Object.entries(groups).map(([type, { events, oldest }]) => [type, { events, oldest: parseTime(oldest) }]),
  )
  return {
    known,
    days: Object.keys(manifest.days),
    async read(seen, { signal, progress }, days = new Set(Object.keys(manifest.days))) {
      const wanted = parts.filter(({ day }) => days.has(day))
      const shown = progress(wanted.reduce((sum, { bytes }) => sum + bytes, 0))
      const { readParts } = await import('../store/read-parts.ts')
      await readParts(store, wanted, {
        each: (line, head) => seen.look(line, head),
        between: async () => assertGoing(signal),
        done: ({ bytes }) => shown.add(bytes),
      }).finally(shown.stop)
    },
  }
}

function ofFiles(files: readonly string[], rules: EventRules, seen: GroupsSeen | undefined): GroupInput {
  return {
    known: undefined,
    seen,
    days: [],
    async read(seen, { signal, progress }) {
      const { eventFileReader, openEventFiles } = await import('./event-files.ts')
      const source = await openEventFiles(files)
      const shown = progress(source.totalBytes)
      const open = async () => ({ source, reader: eventFileReader(rules) })
      const { readEvents } = await import('../checks/read-events.ts')
      const all = { open, interrupted: signal, progress: shown.add }
      await readEvents(all, (line, head) => seen.look(line, head)).finally(shown.stop)
    },
  }
}

/** What was found out about the group types of an import. */
export interface GroupsFound {
  readonly fit: TypesFit
  readonly named: readonly string[]
  /** Of each type that is missing, the key of the oldest event. */
  readonly keys: ReadonlyMap<string, string>
}

const NOTHING: GroupsFound = { fit: { tooMany: [], younger: [], missing: [] }, named: [], keys: new Map() }

/**
 * Finds out how the group types of an input fit the project. A dataset's manifest says which types it has; only where one
 * is missing or younger are events read, and only those days. Files are read as a whole. Nobody is asked about no groups.
 * `types` resolves to undefined where the project could not be asked.
 */
export async function lookAtGroups(
  input: GroupInput,
  types: () => Promise<readonly GroupType[] | undefined>,
  pass: GroupPass,
): Promise<GroupsFound> {
  const first = input.known ? undefined : (input.seen ?? new GroupsSeen())
  if (first && !input.seen) await input.read(first, pass)
  const known = input.known ?? sentOf(first!.types)
  if (known.size === 0) return NOTHING
  const project = await types()
  if (!project) return { ...NOTHING, named: [...known.keys()] }
  const rough = fitOf(known, project)
  const { tooMany, younger, missing } = rough
  if (tooMany.length > 0 || younger.length + missing.length === 0)
    return { fit: rough, named: [...known.keys()], keys: new Map() }
  if (first && younger.length === 0) return found(rough, first)
  const since = new Map(
    project.flatMap(({ name, since }) => (since === null ? [] : [[name, since] as const])),
  )
  const until = dayText(dayOf(Math.max(0, ...younger.map((type) => type.since))))
  const oldest = new Set(missing.map((type) => dayText(dayOf(type.oldest))))
  const days = input.days.filter((day) => (younger.length > 0 && day <= until) || oldest.has(day))
  const look = async (only?: ReadonlySet<string>) => {
    const seen = new GroupsSeen(since)
    await input.read(seen, pass, only)
    return seen
  }
  const some = await look(new Set(days))
  // The oldest event of a type may have become a reject after it was counted.
  const seen = missing.every(({ type }) => some.types.get(type)?.key) ? some : await look()
  return found(fitOf(known, project, hiddenIn(seen.types)), seen)
}

function found(fit: TypesFit, { types }: GroupsSeen): GroupsFound {
  const missing = fit.missing.flatMap((type) => {
    const seen = types.get(type.type)
    return seen && seen.key !== '' ? [{ ...type, oldest: Math.min(type.oldest, seen.oldest) }] : []
  })
  return {
    fit: { ...fit, missing },
    named: [...types.keys()],
    keys: new Map(missing.map(({ type }) => [type, types.get(type)!.key])),
  }
}

type GroupFacts = Pick<GuardFacts, 'groups' | 'unasked'>

/** What a question about group types is about, as `could not ask` goes on. */
export const GROUP_TYPES = 'which group types the project has'

/** The groups of a dataset that goes to a project which nobody can ask; none of files. */
export async function groupsUnasked(source: SourceOrder): Promise<GroupFacts> {
  const { known } = await groupInputOf(source)
  return known ? { groups: { named: [...known.keys()], unasked: true } } : {}
}

/** Finds out what an import would do about the groups of its input. `seen`: those of files that were read already. */
export async function foreseeGroups(
  source: SourceOrder,
  options: Options<ReaderValues>,
  io: Io,
  seen?: GroupsSeen,
): Promise<GroupFacts> {
  const input = await groupInputOf(source, seen)
  if (input.known?.size === 0) return {}
  const { types, failure } = await groupTypesThere(options, io)
  if (failure) return { unasked: [{ what: GROUP_TYPES, error: failure }] }
  if (!types) return { groups: { named: [...(input.known?.keys() ?? [])], unasked: true } }
  const progress = progressFor(io.telemetry)
  const pass = {
    signal: io.interrupted,
    progress: (total: number) => {
      progress.start('read groups', total)
      return progress
    },
  }
  return { groups: await lookAtGroups(input, async () => types, pass) }
}

/** The group types of a project, or what went wrong when it was asked. Neither without a personal key. */
export async function groupTypesThere(
  options: Options<ReaderValues>,
  io: Io,
): Promise<{ readonly types?: readonly GroupType[] | undefined; readonly failure?: PosthaulError }> {
  const asking = askProject(options, io, async (project) => {
    const { Groups } = await import('../service/groups.ts')
    return new Groups(project).types()
  })
  return asking.then(
    (types) => ({ types }),
    (error: unknown) => ({ failure: failureOf(error) }),
  )
}
