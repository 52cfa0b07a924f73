import { PosthaulError } from '../errors.ts'
import { type IdOverlap, overlapOf } from '../record/index.ts'
import type { LedgerState } from './ledger.ts'
import { sharedWords } from './notices.ts'

/** What an import says of its dataset while it draws on a part of the rate cap: others run beside it. */
export interface Sharing {
  readonly dataset: string
  /** Of the ids in it: record/sketches.ts. */
  readonly id_sketch: string
}

/** An import that runs beside another one, or has not come to its end, and the ids that both have. */
export interface SharedPeople extends IdOverlap {
  readonly dataset: string
  readonly checkpoint: string
}

/**
 * The fewest common hashes that keep two datasets apart. One can be a word that both sources put in the place of an id; two of
 * the 1,024 smallest hashes mean that some two of a thousand ids are in both.
 */
const LEAST_PROOFS = 2

/** The imports that share the cap, are not at their end, and have ids in common with this dataset. */
export function sharedPeople(
  { imports }: Pick<LedgerState, 'imports'>,
  { id_sketch }: Sharing,
  checkpoint: string,
): SharedPeople[] {
  return imports.flatMap((entry) => {
    // An entry of the same checkpoint is the same import, before it was begun anew.
    if (!entry.sharing || entry.checkpoint === checkpoint) return []
    const overlap = overlapOf(id_sketch, entry.sharing.id_sketch)
    const { dataset } = entry.sharing
    return overlap.proofs < LEAST_PROOFS ? [] : [{ ...overlap, dataset, checkpoint: entry.checkpoint }]
  })
}

/** Code `found` if there are any: events of a person would arrive in two orders at once. */
export function assertPeopleApart(dataset: string, shared: readonly SharedPeople[]): void {
  if (shared.length === 0) return
  throw new PosthaulError(`${dataset} has people in common with a dataset whose import shares the rate cap`, {
    code: 'found',
    lines: shared.map((one) => `${sharedWords(one)}: their events would arrive out of order`),
    hint: 'divide the history by people (transform --split-people N) and import each dataset; or let the other import end first. --any-order sends all the same: of such a person, the last values and merges of ids may be wrong',
  })
}
