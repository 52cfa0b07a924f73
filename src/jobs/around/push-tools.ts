import type { AroundFolder, AroundKind, AroundRow } from '../../around/index.ts'
import type { RetryOptions } from '../../http/index.ts'
import type { AroundProject, Listed } from '../../service/index.ts'
import type { PushedThings } from './pushed.ts'
import type { Fields } from './three-way.ts'

/** What a folder is held against, and how. */
export interface PushTools {
  readonly folder: AroundFolder
  readonly project: AroundProject
  readonly pushed: PushedThings
  readonly overwrite: boolean
  readonly retry: RetryOptions
  /** The distinct_id of a cohort's member, as events have it. */
  readonly memberId: (id: string) => string
}

/** Changes fields of a thing, and returns it as the server has it then; undefined if there are none to change. */
export async function changeThing(
  project: AroundProject,
  kind: AroundKind,
  { id, row }: Pick<Listed, 'id' | 'row'>,
  set: Fields,
): Promise<Listed | undefined> {
  // The service takes the type of a property alone.
  const { type, ...others } = set
  const typed =
    type === undefined ? undefined : await project.change(kind, id, { type } as Partial<AroundRow>, row)
  return Object.keys(others).length > 0 ? project.change(kind, id, others, row) : typed
}
