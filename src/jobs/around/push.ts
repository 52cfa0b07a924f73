import type { AroundKind, AroundRow } from '../../around/index.ts'
import { retrying } from '../../http/index.ts'
import { type Listed, ServiceError } from '../../service/index.ts'
import { placeTiles } from './board-push.ts'
import { fillCohort, memberSum } from './cohort-push.ts'
import { type PlannedItem, planKind } from './planned-rows.ts'
import { changeThing, type PushTools } from './push-tools.ts'
import type { Pushed } from './pushed.ts'
import type { AroundItem } from './result.ts'
import { comparedOf, type Fields } from './three-way.ts'

/** Things that are written between two saves of `.pushed.json`: a kill makes at most so many be looked for. */
const PIECE = 25

/** What a push has written. */
export class PushTally {
  made = 0
  changed = 0
  sent = 0
  unmatched: number | null = 0
  /** What became of rows that could not be written, by kind and name. */
  readonly refusals = new Map<string, Pick<AroundItem, 'state' | 'why'>>()
  /** What the server does not keep, a sentence each. */
  readonly notes = new Set<string>()
  readonly #dropped = new Map<AroundKind, Set<string>>()

  /** Notes fields that the server took and did not keep. */
  dropped(kind: AroundKind, fields: readonly string[]): void {
    if (fields.length > 0) this.#dropped.set(kind, new Set([...(this.#dropped.get(kind) ?? []), ...fields]))
  }

  get allNotes(): string[] {
    const silent = [...this.#dropped].map(
      ([kind, fields]) => `the server drops ${[...fields].sort().join(', ')} of ${kind} in silence`,
    )
    return [...this.notes, ...silent]
  }
}

type Item = PlannedItem

/** The plan of a kind: rows against things, and for cohorts whether their members were added. */
export async function plannedItems<K extends AroundKind>(
  kind: K,
  rows: readonly AroundRow<K>[],
  { folder, project, pushed, overwrite }: PushTools,
): Promise<PlannedItem<K>[]> {
  const items = planKind(kind, rows, await project.list(kind), { pushed, overwrite })
  if (kind !== 'cohorts') return items
  return Promise.all(
    items.map(async (item) => {
      const { file } = item.row as AroundRow<'cohorts'>
      const isWritten = ['lacking', 'alike', 'differs', 'refused'].includes(item.state)
      if (file === null || !isWritten || item.last?.filled === (await memberSum(folder, file))) return item
      const fields = { ...item.fields, set: { ...item.fields.set, members: file } }
      const state = item.state === 'lacking' ? 'lacking' : 'differs'
      return { ...item, fields, state } as const
    }),
  )
}

/** Writes what the project lacks of a kind. Whatever stops it, the next push goes on from there. Returns the first plan. */
export async function pushKind<K extends AroundKind>(
  kind: K,
  rows: readonly AroundRow<K>[],
  tools: PushTools,
  tally: PushTally,
): Promise<PlannedItem<K>[]> {
  let first: PlannedItem<K>[] | undefined
  // An answer that was lost leaves it open whether a thing was made: so the project is looked at again.
  await retrying(async () => {
    const items = await plannedItems(kind, rows, tools)
    first ??= items
    await new KindWriter(tools, tally).write(items as unknown as Item[])
  }, tools.retry)
  return first!
}

/** Fields that builds of PostHog without the paid parts, and plans without the feature, do not have. */
const PAID = ['description', 'hidden', 'verified', 'tags']

class KindWriter {
  readonly #tools: PushTools
  readonly #tally: PushTally
  /** Paid fields that the server has refused in this run. */
  #lacking: readonly string[] = []

  constructor(tools: PushTools, tally: PushTally) {
    this.#tools = tools
    this.#tally = tally
  }

  async write(items: readonly Item[]): Promise<void> {
    const { pushed } = this.#tools
    for (const item of items)
      if (item.state === 'alike' && item.last?.pending) pushed.note(settled(item.last, item.thing!))
    const todo = items.filter(({ fields }) => Object.keys(fields.set).length > 0)
    for (let at = 0; at < todo.length; at += PIECE) {
      const piece = todo.slice(at, at + PIECE)
      for (const item of piece) pushed.note(intentOf(item))
      await pushed.save()
      await this.#piece(piece)
    }
    await pushed.save()
  }

  /** Writes some things. What stops it leaves no word of those that were not asked for: an undo would look for them. */
  async #piece(piece: readonly Item[]): Promise<void> {
    const left = [...piece]
    try {
      for (let item = left[0]; item; item = left[0]) {
        await this.#attempt(item)
        left.shift()
      }
    } catch (error) {
      const isRefused = error instanceof ServiceError && error.fate !== 'retry'
      for (const item of isRefused ? left : left.slice(1)) this.#withdraw(item)
      await this.#tools.pushed.save()
      throw error
    }
  }

  async #attempt(item: Item): Promise<void> {
    const { pushed } = this.#tools
    const intent = pushed.get(item.kind, item.key)!
    try {
      const thing = await this.#one(item, intent)
      pushed.note(settled(pushed.get(item.kind, item.key)!, thing))
      if (item.thing) this.#tally.changed++
      else this.#tally.made++
    } catch (error) {
      if (!(error instanceof ServiceError) || ![400, 402, 404, 405, 409].includes(error.status)) throw error
      this.#tally.refusals.set(`${item.kind}\n${item.name}`, refusalOf(item, error))
      this.#withdraw(item)
    }
  }

  /** Takes back the note of what was not done. A thing that was made before its tiles or members were refused stays noted. */
  #withdraw({ kind, key, last }: Item): void {
    const { pushed } = this.#tools
    const now = pushed.get(kind, key)!
    if (last) pushed.note({ ...last, id: now.id })
    else if (now.id === null || !now.made) pushed.forget(now)
  }

  /** Writes one thing, and returns it as the server has it then. */
  async #one(item: Item, intent: Pushed): Promise<Listed> {
    const { pushed, project } = this.#tools
    const { row, fields } = item
    const { tiles, members, ...plain } = fields.set
    let thing = item.thing
    if (!thing || Object.keys(plain).length > 0) thing = await this.#described(item, plain)
    const known = { ...intent, id: thing.id }
    pushed.note(known)
    if (tiles) {
      // From here on its id tells it from others.
      await pushed.save()
      thing = await placeTiles(project, thing.id, row as AroundRow<'dashboards'>)
    }
    if (typeof members === 'string') {
      await pushed.save()
      const filled = await fillCohort(row as AroundRow<'cohorts'>, thing.id, this.#tools)
      const { sent, unmatched, sum } = filled
      this.#tally.sent += sent
      this.#tally.unmatched =
        unmatched === null || this.#tally.unmatched === null ? null : this.#tally.unmatched + unmatched
      pushed.note({ ...known, filled: sum, unmatched })
    }
    return thing
  }

  /** Makes or changes a thing with the fields that the server has, and says once which it has not. */
  async #described(item: Item, plain: Fields): Promise<Listed> {
    try {
      const thing = await this.#send(item, this.#taken(plain))
      const dropped = Object.keys(this.#taken(plain)).filter(
        (field) => PAID.includes(field) && !(field in comparedOf(item.kind, thing.row as Fields)),
      )
      this.#tally.dropped(item.kind, dropped)
      return thing
    } catch (error) {
      if (!isWithout(error) || this.#lacking.length > 0) throw error
      const paid = error.status === 402 ? PAID : PAID.filter((field) => field !== 'tags')
      if (!paid.some((field) => field in plain)) throw error
      this.#lacking = paid
      this.#tally.notes.add(`the server takes no ${paid.join(', ')} of ${item.kind}: ${error.message}`)
      return this.#described(item, plain)
    }
  }

  /** Those of the fields that the server has not refused. */
  #taken(plain: Fields): Fields {
    return Object.fromEntries(Object.entries(plain).filter(([field]) => !this.#lacking.includes(field)))
  }

  async #send({ kind, row, thing }: Item, set: Fields): Promise<Listed> {
    const { project } = this.#tools
    if (!thing) {
      const { tiles: _, ...rest } = row as AroundRow<'dashboards'>
      return project.make(kind, this.#taken(rest) as AroundRow)
    }
    return (await changeThing(project, kind, { id: thing.id, row }, set)) ?? thing
  }
}

function refusalOf({ kind }: Item, { status, message }: ServiceError): Pick<AroundItem, 'state' | 'why'> {
  const isEarly = kind === 'events' && status === 405
  const why = 'this server makes no definition before the first event: push again after the import'
  return isEarly ? { state: 'waiting', why } : { state: 'refused', why: message }
}

/** True for an answer that a part of PostHog is missing: of the build, or of the plan. */
function isWithout(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false
  return error.status === 402 || (error.status === 400 && /not supported/i.test(error.message))
}

/** What is about to be written, before its request. */
function intentOf({ kind, key, thing, last, fields }: Item): Pushed {
  const theirs = (thing ? comparedOf(kind, thing.row as Fields) : {}) as Pushed['before']
  return {
    ...last,
    kind,
    key,
    id: thing?.id ?? null,
    made: thing === undefined || (last?.made ?? false),
    before: last?.before ?? theirs,
    sent: { ...last?.sent, ...fields.set } as Pushed['sent'],
    left: theirs,
    pending: true,
  }
}

function settled(intent: Pushed, thing: Listed): Pushed {
  const left = comparedOf(intent.kind, thing.row as Fields) as Pushed['left']
  return { ...intent, id: thing.id, left, pending: false }
}
