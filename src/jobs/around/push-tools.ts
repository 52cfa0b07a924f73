import type { AroundFolder } from '../../around/index.ts'
import type { RetryOptions } from '../../http/index.ts'
import type { AroundProject } from '../../service/index.ts'
import type { PushedThings } from './pushed.ts'

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
