import { z } from 'zod'
import { CellKind, json } from '../../state/cell-kind.ts'
import { VERSION } from '../../version.ts'
import { count, type ValueOf } from '../result-parts.ts'
import { folderCell, type PushedThings } from './pushed.ts'
import { type AroundPushResult, aroundKinds, aroundTarget, countStates } from './result.ts'

/*
 * What the last push of a folder came to: `.last-push.json`, beside its files.
 *
 * It is for pages: `report --around` shows it. It is replaced whole when a push ends, and nothing depends on it. A push of some
 * kinds leaves what is said of the others.
 */
const schema = z.object({
  tool: z.string(),
  pushed_at: z.iso.datetime(),
  project: aroundTarget,
  /** Rows by what became of them: what the project lacked was made, what differed was changed. */
  kinds: z.array(aroundKinds.element.extend({ brought: count.describe('by all pushes') })),
  members: z.object({ sent: z.int(), unmatched: z.int().nullable() }),
})
export type LastPushed = ValueOf<typeof schema>

export const LAST_PUSHED = new CellKind({
  name: 'last push',
  schema,
  version: 1,
  form: json({ indent: 1 }),
})

const cellOf = (folder: string) => folderCell(folder, '.last-push.json')

/** Keeps what a push came to, and how many things of the project are of this folder. An undo leaves no kinds. */
export async function keepPush(
  { folder, project, kinds, ...result }: AroundPushResult,
  pushed: Pick<PushedThings, 'of'>,
): Promise<void> {
  const { items, members, undone } = result
  const before = await lastPushed(folder)
  const isSame = before?.project.host === project.host && before.project.id === project.id
  const now = kinds.map((row) => {
    const after = countStates(items.filter(({ kind }) => kind === row.kind))
    return { ...row, ...after, alike: row.alike, brought: pushed.of(row.kind).length }
  })
  const others =
    isSame && !undone ? before.kinds.filter(({ kind }) => !now.some((row) => row.kind === kind)) : []
  const head = { tool: `posthaul ${VERSION}`, pushed_at: new Date().toISOString() }
  const kept = { ...head, project, kinds: [...now, ...others], members }
  await LAST_PUSHED.save(cellOf(folder), schema.parse(kept))
}

/** What the last push of a folder came to; undefined if none has ended. */
export async function lastPushed(folder: string): Promise<LastPushed | undefined> {
  return (await LAST_PUSHED.load(cellOf(folder)))?.value
}
