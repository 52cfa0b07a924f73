import { fitOf, type GroupsSeen, type TypesFit, type TypeToSend } from '../../checks/groups-seen.ts'
import type { EventFiles } from '../../checks/read-events.ts'
import type { InputSource } from '../../delivery/intake.ts'
import type { OwnEvents, OwnWork } from '../../delivery/own-events.ts'
import { PosthaulError } from '../../errors.ts'
import type { GuardedRun } from '../../guards/guards.ts'
import { type Clock, systemClock, untilAborted } from '../../http/clock.ts'
import { GROUP_TYPES, groupInputOf, lookAtGroups } from '../../imports/group-input.ts'
import type { KnownProject } from '../../imports/import-guards.ts'
import type { ImportOrder } from '../../imports/import-order.ts'
import { lookAtFiles } from '../../imports/losses.ts'
import { GROUP_EVENT, groupSender } from '../../record/rules.ts'
import { ServiceError } from '../../service/errors.ts'
import { Groups, type GroupType } from '../../service/groups.ts'
import type { Advance } from '../../telemetry/eta.ts'
import { MS_PER_MINUTE, MS_PER_SECOND } from '../../text/units.ts'
import { VERSION } from '../../version.ts'
import { OwnLines } from './own-lines.ts'

interface GroupGuardOptions {
  readonly project: KnownProject
  readonly order: Pick<ImportOrder, 'source' | 'pace'>
  readonly guards: GuardedRun
  /** The full address of the checkpoint. */
  readonly checkpoint: string
  readonly note: (text: string) => void
}

interface FirstLookOptions extends Omit<GroupGuardOptions, 'project'> {
  readonly source: Pick<InputSource, 'totalBytes'>
  /** Opens files once more. */
  readonly open: EventFiles['open']
  /** Somebody made the files: what a program captures is held against the project alone. */
  readonly isMade: boolean
  /** Undefined where it can't be asked. */
  readonly project: KnownProject | undefined
}

/** Looks at what is to be sent before the first event is: at all lines of files, and at the groups of anything. */
export function firstLook({ source, open, isMade, project, ...options }: FirstLookOptions) {
  const { guards, order } = options
  const groups = project && groupGuard({ project, ...options })
  let reading: Advance | undefined
  const look = async (halt: AbortSignal) => {
    const { totalBytes } = source
    let doneBytes = 0
    const progress = (bytes: number) => {
      doneBytes += bytes
      reading = { doneBytes, totalBytes }
    }
    return lookAtFiles({ open, interrupted: halt, progress }, project).finally(() => {
      reading = undefined
    })
  }
  /** Throws `found` for an error that is not accepted. */
  const work: OwnWork = async (own, halt) => {
    const isRead = order.source.input.kind === 'file' && (isMade || project)
    const seen = isRead ? await untilAborted(stopped(look(halt), halt), halt) : undefined
    if (halt.aborted) return
    if (seen) guards.look(isMade ? seen.facts : { hidden: seen.facts.hidden, ruled: seen.facts.ruled })
    await groups?.work(own, halt, seen?.groups)
  }
  /** How much of the input is read, while it is. */
  return { work, reading: () => reading ?? groups?.reading() }
}

/**
 * Sees to it that events will show their groups, before the first of them is sent. A type begins with the event that makes
 * it, once and for all, and older events never show a group of it. So a type that is missing is made as of its oldest
 * event, by an event of the import's own, and the rest waits until the project has it.
 */
function groupGuard({ project, order, guards, checkpoint, note }: GroupGuardOptions) {
  /** How much of the input is read, while it is read for its groups. */
  let reading: Advance | undefined
  const ask = () => project.ask((asked) => new Groups(asked).types())
  const look = async (halt: AbortSignal, seen: GroupsSeen | undefined) => {
    const input = await groupInputOf(order.source, seen)
    const types = () => guards.ask(GROUP_TYPES, ask(), (error) => !isUnlisted(error))
    let told = false
    const progress = (totalBytes: number) => {
      if (!told) note('reading events first, to see which groups they name')
      told = true
      let doneBytes = 0
      const add = (bytes: number) => {
        doneBytes += bytes
        reading = { doneBytes, totalBytes }
      }
      add(0)
      const stop = () => {
        reading = undefined
      }
      return { add, stop }
    }
    return lookAtGroups(input, types, { signal: halt, progress })
  }
  /** A server from before the list of group types, and before groups are hidden. */
  const unlisted = (error: unknown) => {
    if (!isUnlisted(error)) throw error
    note('this server has no list of group types, so whether events will show their groups is not known')
  }
  /**
   * Throws `found` if there is no room for all types, or if one is younger than its events and that is not accepted. `seen`: the
   * groups of files, which were read already.
   */
  const work = async (own: OwnEvents, halt: AbortSignal, seen: GroupsSeen | undefined) => {
    const found = await untilAborted(stopped(look(halt, seen).catch(unlisted), halt), halt)
    if (!found) return
    const { fit, keys } = found
    guards.look({ groups: found })
    const lines = new OwnLines(VERSION, checkpoint)
    for (const missing of fit.missing) {
      const { type, oldest: instant } = missing
      const key = keys.get(type)!
      const properties = { $group_type: type, $group_key: key, $group_set: {} }
      const event = { event: GROUP_EVENT, distinctId: groupSender(type, key), instant, properties }
      // One request each: the service works on those of a request side by side.
      if (!(await own.sendOnce(lines.line(event), halt))) return
    }
    if (fit.missing.length === 0) return
    const made = new Map(fit.missing.map((missing) => [missing.type, missing]))
    const { retryForMs } = order.pace
    const listed = await awaitGroupTypes({ made, ask, retryForMs, clock: systemClock, note }, halt)
    if (listed) guards.look({ groups: { named: [...made.keys()], fit: listed } })
  }
  return { work, reading: () => reading }
}

/** The project itself was found before. */
function isUnlisted(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 404
}

/** A pass that ends because the run stops is no failure: the run says why it stops. */
async function stopped<T>(looking: Promise<T>, halt: AbortSignal): Promise<T | undefined> {
  try {
    return await looking
  } catch (error) {
    if (halt.aborted) return undefined
    throw error
  }
}

interface ListingWait {
  /** The types that were made. */
  readonly made: ReadonlyMap<string, TypeToSend>
  /** Asks the project for its types. */
  readonly ask: () => Promise<readonly GroupType[]>
  /** How long the project may fail to answer, in milliseconds. */
  readonly retryForMs: number
  readonly clock: Clock
  readonly note: (text: string) => void
}

/** The service may answer with what it knew five minutes ago. */
const LISTED_MS = 6 * MS_PER_MINUTE
const ASK_EVERY_MS = 5 * MS_PER_SECOND

/**
 * Waits until the project lists group types that were made for an import, and resolves to how they fit then: others may
 * have taken their places, or their time. Undefined if `halt` aborts first. Throws `unavailable` if they are not listed in
 * time, and whatever keeps the project from answering for longer than `retryForMs`.
 */
export async function awaitGroupTypes(
  { made, ask, retryForMs, clock, note }: ListingWait,
  halt: AbortSignal,
): Promise<TypesFit | undefined> {
  const until = clock.now() + LISTED_MS
  const names = [...made.keys()].join(', ')
  let failingSince: number | undefined
  let told = false
  while (!halt.aborted) {
    const types = await untilAborted(ask().catch(passing), halt)
    if (types === undefined) return undefined
    const now = clock.now()
    if (types instanceof PosthaulError) {
      if (failingSince === undefined)
        note(`could not read the group types, and will try again: ${types.message}`)
      failingSince ??= now
      if (now - failingSince >= retryForMs) throw types
    } else {
      failingSince = undefined
      const fit = fitOf(made, types)
      if (fit.missing.length === 0 || fit.tooMany.length > 0) return fit
      if (now >= until) throw notListed(names)
      if (!told) note(`waiting until the project lists ${names}; that can take 5 minutes`)
      told = true
    }
    await clock.sleep(ASK_EVERY_MS, halt)
  }
  return undefined
}

/** A failure that may pass is an answer too. */
function passing(error: unknown): PosthaulError {
  if (error instanceof PosthaulError && error.code === 'unavailable') return error
  throw error
}

function notListed(names: string): PosthaulError {
  return new PosthaulError(`the project does not list the group types that were made for it: ${names}`, {
    code: 'unavailable',
    hint: 'none of the input was sent; run the same command again later, and it looks again',
  })
}
