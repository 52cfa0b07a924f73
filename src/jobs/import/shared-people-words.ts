import { sharedWords } from '../../delivery/notices.ts'
import type { SharedPeople } from '../../delivery/turn.ts'
import { fold, REMARK } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
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
