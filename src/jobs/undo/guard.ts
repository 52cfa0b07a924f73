import { PosthaulError } from '../../errors.ts'
import type { ImportOrder } from '../import/import-order.ts'
import { isOver, undoCells } from './record.ts'
import { requestsOn, seenAs } from './undo-standing.ts'

/** Refuses, with code `mismatch`, to send events that a request for deletion would delete with the rest. */
export async function assertNotBeingUndone(
  { source: { input }, place: { at } }: Pick<ImportOrder, 'source' | 'place'>,
  key: string,
  argv: readonly string[],
): Promise<void> {
  const dataset = input.kind === 'dataset' ? input.path : undefined
  const cells = await undoCells(at, at.ledger, key)
  const touching = await requestsOn(cells, key, input.kind, dataset)
  const found = touching.find(({ request }) => !isOver(request))
  if (!found) return
  const { first, last, project_id: project, status } = found.request
  throw new PosthaulError(
    `events of ${first} to ${last} are to be deleted from project ${project} (${status}): what is sent now would go with them`,
    {
      code: 'mismatch',
      hint: `${seenAs(found, argv).follow} says how far that is; import again once it is done`,
    },
  )
}
