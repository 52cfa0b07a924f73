import { AROUND_KINDS, type AroundKind } from '../../around/index.ts'
import { type AroundProject, type Listed, ServiceError } from '../../service/index.ts'
import { changeThing } from './push-tools.ts'
import type { Pushed, PushedThings } from './pushed.ts'
import type { AroundItem } from './result.ts'
import { COMPARED, type Fields, same } from './three-way.ts'

/** What became of what a folder had brought. */
export class UndoTally {
  removed = 0
  restored = 0
  readonly kept: AroundItem[] = []
}

interface Undoing {
  readonly project: AroundProject
  readonly pushed: PushedThings
  readonly overwrite: boolean
}

/** Takes back what pushes of this folder made and nobody has changed since, dashboards first. It may be run again at any time. */
export async function undoPush(undoing: Undoing): Promise<UndoTally> {
  const tally = new UndoTally()
  const { project, pushed } = undoing
  for (const kind of AROUND_KINDS.toReversed()) {
    const things = pushed.of(kind)
    if (things.length === 0) continue
    const there = await project.list(kind)
    for (const last of things) await undoOne(kind, last, thingOf(last, there), { ...undoing, tally })
    await pushed.save()
  }
  return tally
}

/** The thing that a push made. Where it was cut short before the answer, one that is just as it was sent. */
function thingOf({ kind, key, id, sent }: Pushed, there: readonly Listed[]): Listed | undefined {
  if (id !== null) return there.find((thing) => thing.id === id)
  const { tiles: _, members: __, ...plain } = sent as Fields
  return there.find(({ row, isBare }) => {
    const fields = row as Fields
    if (kind === 'cohorts' && !isBare) return false
    return kind === 'events'
      ? fields.name === key
      : Object.keys(plain).every((field) => same(fields[field], plain[field]))
  })
}

async function undoOne(
  kind: AroundKind,
  last: Pushed,
  thing: Listed | undefined,
  { project, pushed, overwrite, tally }: Undoing & { readonly tally: UndoTally },
): Promise<void> {
  if (!thing) {
    pushed.forget(last)
    return
  }
  const row = thing.row as Fields
  // A definition whose events have come would come back with the next one: what was written of it is taken off.
  const isRemoved = last.made && (kind !== 'events' || thing.isBare)
  const changed = COMPARED[kind].filter((field) => {
    // An undo that was cut short has restored it.
    const isRestored = !isRemoved && same(row[field], last.before[field])
    const isOurs = same(row[field], last.left[field]) || (last.pending && same(row[field], last.sent[field]))
    return !isOurs && !isRestored
  })
  const name = String(row.name ?? row.text)
  const keep = (why: string, fields: readonly string[]) =>
    tally.kept.push({ kind, name, state: 'kept', fields: [...fields], why })
  if (isRemoved && changed.length > 0 && !overwrite) {
    keep(`changed there since: ${changed.join(', ')}`, changed)
    return
  }
  try {
    if (isRemoved) {
      await project.remove(kind, thing.id)
      tally.removed++
    } else {
      const mine = Object.keys(last.sent).filter((field) => field in row || field in last.before)
      const free = mine.filter((field) => overwrite || !changed.includes(field))
      const set = Object.fromEntries(free.map((field) => [field, last.before[field] ?? emptyOf(field)]))
      if (free.length > 0) await changeThing(project, kind, thing, set)
      if (free.length > 0) tally.restored++
      if (free.length < mine.length) return void keep(`changed there since: ${changed.join(', ')}`, changed)
    }
    pushed.forget(last)
  } catch (error) {
    if (!(error instanceof ServiceError) || ![400, 402].includes(error.status)) throw error
    keep(error.message, [])
  }
}

function emptyOf(field: string): unknown {
  return field === 'tags' ? [] : field === 'description' ? '' : field === 'type' ? undefined : false
}
