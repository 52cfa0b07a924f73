import { type SharedPeople, sharedWords } from '../../delivery/index.ts'
import { fold, REMARK, visible } from '../../text/index.ts'
import type { ImportResult } from './result.ts'

/** What a summary says of imports of the same people, which `--any-order` let pass. */
export function sharedLines(shared: readonly SharedPeople[] = []): string[] {
  return shared.flatMap((one) =>
    fold(
      `${visible(sharedWords(one))}: their last values and merges of ids may be wrong`,
      REMARK,
      '  warning   ',
    ),
  )
}

/** The same as JSON. */
export function sharedJson(shared: readonly SharedPeople[] = []): ImportResult['shared_people'] {
  return shared.map(({ dataset, checkpoint, ids, error }) => ({ dataset, checkpoint, ids, error }))
}
