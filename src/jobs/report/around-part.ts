import { AROUND_KINDS } from '../../around/index.ts'
import { type LastPushed, lastPushed } from '../around/last-push.ts'
import type { AroundPart } from './around-data.ts'
import { cutText } from './bounds.ts'

/** What the last push of a folder came to. Where none has ended, `missing` says so. */
export async function aroundPart(folder: string, missing: string[]): Promise<AroundPart | undefined> {
  const last = await lastPushed(folder)
  if (!last || last.kinds.length === 0) {
    missing.push(
      `no push of ${folder} has ended, or it was undone: what was written around the events is not shown`,
    )
    return undefined
  }
  const { project, pushed_at: at, kinds } = last
  return {
    ...{ folder: cutText(folder), host: cutText(project.host), project: cutText(project.id), at },
    kinds: AROUND_KINDS.flatMap((kind) => kinds.filter((row) => row.kind === kind)).map(rowOf),
  }
}

function rowOf(row: LastPushed['kinds'][number]): AroundPart['kinds'][number] {
  const { kind, rows, brought, lacking, differs, alike, kept, gone, refused, waiting, skipped, by_hand } = row
  return {
    ...{ kind, rows, brought, made: lacking, changed: differs, alike, kept: kept + gone },
    ...{ left: refused + waiting + skipped, byHand: by_hand },
  }
}
