/*
 * Keeps the persons of a live project as they are while their history is imported: see corrections.ts for what that means.
 *
 *   before the first event   the snapshot of the persons that the history touches (snapshot.ts)
 *   after the last one       once the last events are in the project, a `$set` event for each person that is to be put
 *                            right. It is dated 49 hours before the snapshot, so that it is history like the rest
 *
 * IF A RUN IS KILLED at the end, the next one reads the persons again and decides again. Those that are right already get
 * no event. An event that was sent and has not been processed is made again with the same uuid, and merges.
 */
import type { CheckpointState } from '../../delivery/checkpoint.ts'
import type { OwnEvents } from '../../delivery/own-events.ts'
import { type Place, START } from '../../delivery/place.ts'
import { assertGoing, type ErrorCode, PosthaulError } from '../../errors.ts'
import { canonicalJson } from '../../record/json-values.ts'
import type { PersonWriteValues } from '../../record/rules.ts'
import { MICROS_PER_MS, MS_PER_HOUR } from '../../text/units.ts'
import { type Correction, corrections, type Decision } from './corrections.ts'
import { History, type HistoryOptions, type LastEventsOptions, lastEventsArrived } from './history.ts'
import { type PersonPair, type PersonService, pairsOf, readLive } from './live.ts'
import { type Settled, Snapshot, type SnapshotPlace } from './snapshot.ts'

/** Older than what the service may bill as live. */
const AGE_MS = 49 * MS_PER_HOUR
/** Own events that are sent, and kept in the state, at once. */
const AT_ONCE = 500
/** The service refuses an event of a million bytes; a character has three at most, written twice where it is escaped. */
const MOST_LENGTH = 150_000

export interface KeepOptions extends LastEventsOptions {
  readonly service: PersonService
  /** The user asked for it by name. */
  readonly asked: boolean
  readonly input: Pick<HistoryOptions, 'open' | 'progress'>
  readonly place: SnapshotPlace
  readonly target: CheckpointState['target']
  /** The line of an own event; its uuid is a function of what it says. */
  readonly line: (event: PersonEvent) => Buffer
  /** A folder of this machine for what does not fit into memory. */
  readonly folder: string
  /** What the import had done before this run. */
  readonly state: {
    readonly begun: boolean
    readonly finished: boolean
    /** Where it came to the end of an input that has grown since. */
    readonly ended?: Place
  }
}

/** An event that puts a person right. `instant` is in microseconds. */
interface PersonEvent {
  readonly event: '$set'
  readonly distinctId: string
  readonly instant: number
  readonly properties: PersonWriteValues
}

/** What became of the persons; undefined where nothing was to be kept. */
export interface KeepReport {
  readonly ids: number
  readonly takenAt: string
  /** Null until the input has arrived and they are put right. */
  readonly settled: Settled | null
}

export class KeepPersons {
  readonly #options: KeepOptions
  #snapshot: Snapshot | undefined

  constructor(options: KeepOptions) {
    this.#options = options
  }

  get report(): KeepReport | undefined {
    const snapshot = this.#snapshot
    if (!snapshot?.isWhole || snapshot.rows === 0) return undefined
    const { taken_at: takenAt, settled } = snapshot.state
    return { ids: snapshot.rows, takenAt, settled }
  }

  /** Takes the snapshot, or the rest of it. Where the user did not ask for it, a key that may not read persons is fine. */
  async before(halt: AbortSignal): Promise<void> {
    try {
      await this.#take(halt)
    } catch (error) {
      if (this.#options.asked || !(error instanceof PosthaulError) || error.code !== 'auth')
        throw explained(error, 'could not ask for the persons that the history touches')
      this.#options.note(`persons are not kept as they are: ${error.message}`)
    }
  }

  async #take(halt: AbortSignal): Promise<void> {
    const { place, target, state, service, folder, clock, note } = this.#options
    const known = await Snapshot.load(place, target)
    if (known?.isWhole && (state.finished || !known.state.settled)) {
      this.#snapshot = known
      return
    }
    if (!known && state.begun) {
      note('the import began without a snapshot of persons: they keep what the history writes')
      return
    }
    // What was imported and put right is history no more: only what came since can change a person.
    const from = known?.state.settled ? state.ended : undefined
    const snapshot = known && !known.isWhole ? known : await Snapshot.begin(place, target, clock.wall(), from)
    this.#snapshot = snapshot
    // Most imports go into a new project: its first question is the last.
    if ((await service.countDistinctIds()) === 0) return snapshot.take(none())
    let history: History | undefined
    try {
      history = await this.#history(snapshot, true, halt)
      const reached = await snapshot.reached()
      const pairs = after(pairsOf(service, history, folder), reached)
      await snapshot.take(whole(readLive(service, pairs, history), halt))
      if (snapshot.rows > 0) note(begunText(snapshot.rows, history))
    } catch (error) {
      if (!halt.aborted) throw error
    } finally {
      history?.remove()
    }
  }

  /** Puts persons right, once the input has arrived. */
  async after(own: Pick<OwnEvents, 'send'>, halt: AbortSignal): Promise<void> {
    const { service, folder } = this.#options
    const snapshot = this.#snapshot
    if (!snapshot?.isWhole || snapshot.state.settled) return
    if (snapshot.rows === 0) return snapshot.settle({ persons: 0, properties: 0, newer: 0 })
    let history: History | undefined
    try {
      history = await this.#history(snapshot, false, halt)
      await lastEventsArrived(history, this.#options, halt)
      if (halt.aborted) return
      const settled = { persons: 0, properties: 0, newer: 0 }
      let lines: Buffer[] = []
      const now = pairsOf(service, history, folder)
      for await (const one of corrections(service, { history, before: snapshot.read(), now, folder })) {
        if (halt.aborted) return
        const { set, setOnce, newer } = one.decision
        const properties = Object.keys(set).length + Object.keys(setOnce).length
        settled.newer += newer.length
        if (properties === 0) continue
        settled.persons++
        settled.properties += properties
        lines.push(...Array.from(eventsOf(one, snapshot.state.taken_at), this.#options.line))
        if (lines.length < AT_ONCE) continue
        if (!(await own.send(lines, halt))) return
        lines = []
      }
      if (await own.send(lines, halt)) await snapshot.settle(settled)
    } catch (error) {
      if (!halt.aborted) throw explained(error, 'all events are sent, but persons could not be put right')
    } finally {
      history?.remove()
    }
  }

  #history({ state: { from } }: Snapshot, idsOnly: boolean, interrupted: AbortSignal): Promise<History> {
    const { input, folder } = this.#options
    return History.read({ ...input, folder, idsOnly, interrupted, from: from ?? START })
  }
}

/** What a service that can't answer, or not to this key, makes of a question. */
const UNANSWERED: readonly ErrorCode[] = ['unavailable', 'auth', 'config', 'usage']

/** Says what could not be done, and how to do without. */
function explained(error: unknown, what: string): unknown {
  if (!(error instanceof PosthaulError) || !UNANSWERED.includes(error.code)) return error
  const hint = [error.hint, 'to go on without keeping persons as they are add --keep-persons no']
  return new PosthaulError(`${what}: ${error.message}`, {
    code: error.code,
    hint: hint.filter(Boolean).join('; '),
    cause: error,
  })
}

async function* none(): AsyncGenerator<never> {}

function begunText(rows: number, { ids, placed }: History): string {
  const share = `the project has ${rows} of the ${ids} distinct ids: their persons are kept as they are`
  if (placed === 0) return share
  return `${share}, but not their place: ${placed} events have no $geoip_disable, so the service sets it`
}

async function* after(
  pairs: AsyncIterable<PersonPair>,
  reached: string | undefined,
): AsyncGenerator<PersonPair> {
  for await (const pair of pairs) if (reached === undefined || pair[0] > reached) yield pair
}

/** The chunks up to a halt, which is an error: a snapshot that ends early is not whole. */
async function* whole<T>(chunks: AsyncIterable<T>, halt: AbortSignal): AsyncGenerator<T> {
  for await (const chunk of chunks) {
    yield chunk
    assertGoing(halt)
  }
}

/** The event that puts a person right, or several that are small enough: the same ones for the same decision. */
function* eventsOf({ distinctId, decision }: Correction, takenAt: string): Generator<PersonEvent> {
  const instant = (Date.parse(takenAt) - AGE_MS) * MICROS_PER_MS
  for (const properties of inShares(decision)) yield { event: '$set', distinctId, instant, properties }
}

function* inShares({ set, setOnce }: Pick<Decision, 'set' | 'setOnce'>): Generator<PersonWriteValues> {
  let [share, length]: [Record<string, Record<string, unknown>>, number] = [{}, 0]
  for (const [operation, values] of [
    ['$set', ordered(set)],
    ['$set_once', ordered(setOnce)],
  ] as const) {
    for (const [name, value] of Object.entries(values)) {
      const size = name.length + JSON.stringify(value).length
      if (length > 0 && length + size > MOST_LENGTH) {
        yield share
        share = {}
        length = 0
      }
      share[operation] ??= Object.create(null)
      share[operation]![name] = value
      length += size
    }
  }
  if (length > 0) yield share
}

/** The uuid depends on the order of the members. */
function ordered(values: PersonWriteValues): PersonWriteValues {
  return JSON.parse(canonicalJson(JSON.stringify(values))) as PersonWriteValues
}
