import { PosthaulError } from '../errors.ts'
import type { OpenLog } from '../state/line-log.ts'
import { type CheckpointState, NO_OWN_EVENTS } from './checkpoint.ts'
import type { ImportState } from './import-state.ts'
import type { InputSource } from './intake.ts'
import { isSameProject, type LedgerTarget } from './ledger.ts'
import { leastPerMinute } from './pacer.ts'
import { isBefore, type Place, START, START_OVER } from './place.ts'
import { VIA_WORDS, type Via } from './route.ts'

/** What identifies an import, and must be the same in every run of it. */
export interface ResumeOptions {
  readonly state: ImportState
  readonly restart: boolean
  readonly source: InputSource
  readonly target: LedgerTarget
  /** The version of the rules that make the events. */
  readonly rules: string
  readonly lanes: number
  /** The route that was asked for, if one was. */
  readonly via?: Via | undefined
  readonly note: (text: string) => void
}

/** The state of an import before a run. */
export interface Resumed {
  /** Undefined if the import begins at the beginning of the input. */
  readonly state: CheckpointState | undefined
  readonly places: readonly Place[]
  /** The route to take. */
  readonly via: Via
  readonly rejects: OpenLog
  /** The events that the import made itself, and what the checkpoint says of them. */
  readonly own: { readonly lines: OpenLog; readonly saved: CheckpointState['own'] }
  /** The version of the rules that made the events, those of earlier runs among them. */
  readonly rules: string
  /** The most lanes that a run of this import has had, including this one. */
  readonly mostLanes: number
  /** The import that a restart replaces, if it went to the same project. */
  readonly replaced: CheckpointState | undefined
}

/** Finds the place to go on from. Throws `mismatch` if going on would lose, double or rename events. */
export async function resume(options: ResumeOptions): Promise<Resumed> {
  const { state: kept, restart, lanes, rules, source, via = 'batch', note } = options
  const fresh = new Array<Place>(lanes).fill(START)
  const found = restart ? undefined : await kept.load()
  const isUnsent = found?.state.unsent === true
  const loaded = isUnsent ? undefined : found
  if (!loaded) {
    const replaced = restart ? await beforeRestart(options) : undefined
    if (restart || isUnsent) await kept.rejects.setAside()
    return {
      state: undefined,
      places: fresh,
      via,
      rejects: await kept.rejects.begin(),
      own: restart || isUnsent ? await ownAfterRestart(kept, replaced) : await begunOwn(kept),
      rules,
      mostLanes: Math.max(lanes, replaced?.most_lanes ?? 0),
      replaced,
    }
  }
  if (loaded.fellBack) note(`${kept.checkpointPath} is damaged: going on from the generation before it`)
  assertSame(loaded.state, options)
  assertThere(loaded.state, options)
  const allSent = isAllSent(loaded.state, source)
  const state = withoutTail(loaded.state, source)
  await source.verify(state.input, state.places)
  const rejects = await kept.rejects.resume(state.rejects)
  if (rejects.digest.bytes < state.rejects.bytes)
    note(`${kept.rejects.path} is gone: new rejects begin a new file`)
  return {
    state,
    places: placesFor(state, lanes, fresh),
    via: viaFor(state, options),
    rejects,
    own: { lines: await kept.own.resume(state.own.file), saved: state.own },
    // This run makes no event, so the rules are still those of the runs before.
    rules: allSent ? state.rules : rules,
    mostLanes: Math.max(lanes, state.most_lanes),
    replaced: undefined,
  }
}

function assertSame(state: CheckpointState, { target, state: kept }: ResumeOptions): void {
  const restart = `give this one a state of its own with --checkpoint, ${START_OVER}`
  if (state.target.host !== target.host) {
    throw new PosthaulError(
      `${kept.checkpointPath} belongs to an import into ${state.target.host}, not ${target.host}`,
      {
        code: 'mismatch',
        hint: `go on with that address; ${restart}`,
      },
    )
  }
  if (!isSameProject(target, state.target)) {
    throw new PosthaulError(`${kept.checkpointPath} belongs to an import with another project key`, {
      code: 'mismatch',
      hint: `go on with that key; if this one replaced it in the same project, add --replaces-key ${state.target.key}; ${restart}`,
    })
  }
}

/** What is deleted again can't be gone on with. */
function assertThere({ undone }: CheckpointState, { state: kept }: ResumeOptions): void {
  if (!undone) return
  throw new PosthaulError(
    `the events of this import were deleted from the project, says ${kept.checkpointPath}`,
    { code: 'mismatch', hint: 'send them anew with --restart', options: { '--restart': '' } },
  )
}

/** True if files have nothing left to send, whatever rules would make of it. */
export function isAllSent({ done, input }: CheckpointState, source: InputSource): boolean {
  return done && input.kind !== 'dataset' && source.totalBytes <= input.size
}

/** If the last line was rejected without its end and the file has grown since, the state before that reject. */
function withoutTail(state: CheckpointState, source: InputSource): CheckpointState {
  const { tail, ...rest } = state
  if (!tail || source.totalBytes <= state.input.size) return state
  return {
    ...rest,
    places: state.places.map(() => tail.place),
    counts: { ...state.counts, rejected: state.counts.rejected - 1 },
    reasons: { ...state.reasons, [tail.reason]: (state.reasons[tail.reason] ?? 1) - 1 },
    rejects: tail.rejects,
    done: false,
  }
}

/** An import keeps its route unless another is asked for: the times are the same by both, so what goes by both merges. */
function viaFor({ via: before, counts }: CheckpointState, { via = before, note }: ResumeOptions): Via {
  if (via !== before && counts.delivered > 0)
    note(
      `this import went by ${VIA_WORDS[before]} so far, and goes on by ${VIA_WORDS[via]}: what is sent again has the same ids and times, and merges`,
    )
  return via
}

function placesFor(state: CheckpointState, lanes: number, fresh: readonly Place[]): readonly Place[] {
  const { places } = state
  if (places.length === lanes) return places
  const [first] = places
  // If all lanes are at one place, any number of lanes can go on from it.
  if (first && places.every((place) => !isBefore(place, first) && !isBefore(first, place))) {
    return fresh.map(() => first)
  }
  throw new PosthaulError(
    `this import was begun with --lanes ${places.length}, and the lanes are at different places`,
    {
      code: 'mismatch',
      hint: `go on with --lanes ${places.length}; the number can change once a run has ended by itself`,
    },
  )
}

/** Requests of an earlier run can arrive in this run's first minute, so the cap must have room for both runs. */
export function assertRoom(perMinute: number, mostLanes: number): void {
  const least = leastPerMinute(mostLanes)
  if (perMinute >= least) return
  throw new PosthaulError(
    `${perMinute} events a minute are too few after a run with ${mostLanes} lanes: ` +
      'requests that it still had under way count in the same minute',
    {
      code: 'config',
      hint: `give --max-events-per-minute ${least} or more`,
      options: { '--max-events-per-minute': String(least) },
    },
  )
}

/** The import that a restart replaces: what it delivered counts on, since the service receives it a second time. */
async function beforeRestart(options: ResumeOptions): Promise<CheckpointState | undefined> {
  const { state: kept, target } = options
  const loaded = await kept.load().catch((error: unknown) => {
    // A restart goes over a damaged checkpoint or another version's, but never over another file.
    if (error instanceof PosthaulError && error.code === 'mismatch') return undefined
    throw error
  })
  const state = loaded?.state
  if (!state || !isSameProject(target, state.target)) return undefined
  return state
}

/** Own events stay in the project, unless they were undone: a restart into it keeps those that the service took. */
async function ownAfterRestart(
  { own }: ImportState,
  replaced: CheckpointState | undefined,
): Promise<Resumed['own']> {
  if (replaced && !replaced.undone) {
    return {
      lines: await own.resume(replaced.own.file),
      saved: { ...replaced.own, events: 0, prepared: undefined },
    }
  }
  await own.setAside()
  return begunOwn({ own })
}

async function begunOwn({ own }: Pick<ImportState, 'own'>): Promise<Resumed['own']> {
  return { lines: await own.begin(), saved: NO_OWN_EVENTS }
}
