import { fitOf, type TypesFit, type TypeToSend } from '../../checks/index.ts'
import { PosthaulError } from '../../errors.ts'
import { type Clock, untilAborted } from '../../http/index.ts'
import type { GroupType } from '../../service/index.ts'
import { MS_PER_MINUTE, MS_PER_SECOND } from '../../text/index.ts'

export interface ListingWait {
  /** The types that were made. */
  readonly made: ReadonlyMap<string, TypeToSend>
  /** Asks the project for its types. */
  readonly ask: () => Promise<readonly GroupType[]>
  /** How long the project may fail to answer, in milliseconds. */
  readonly retryForMs: number
  readonly clock: Clock
  readonly note: (text: string) => void
}

/** The service may answer with what it knew five minutes ago. */
const LISTED_MS = 6 * MS_PER_MINUTE
const ASK_EVERY_MS = 5 * MS_PER_SECOND

/**
 * Waits until the project lists group types that were made for an import, and resolves to how they fit then: others may
 * have taken their places, or their time. Undefined if `halt` aborts first. Throws `unavailable` if they are not listed in
 * time, and whatever keeps the project from answering for longer than `retryForMs`.
 */
export async function awaitGroupTypes(
  { made, ask, retryForMs, clock, note }: ListingWait,
  halt: AbortSignal,
): Promise<TypesFit | undefined> {
  const until = clock.now() + LISTED_MS
  const names = [...made.keys()].join(', ')
  let failingSince: number | undefined
  let told = false
  while (!halt.aborted) {
    const types = await untilAborted(ask().catch(passing), halt)
    if (types === undefined) return undefined
    const now = clock.now()
    if (types instanceof PosthaulError) {
      if (failingSince === undefined)
        note(`could not ask for the group types, and asks again: ${types.message}`)
      failingSince ??= now
      if (now - failingSince >= retryForMs) throw types
    } else {
      failingSince = undefined
      const fit = fitOf(made, types)
      if (fit.missing.length === 0 || fit.tooMany.length > 0) return fit
      if (now >= until) throw notListed(names)
      if (!told) note(`waiting until the project lists ${names}; that can take 5 minutes`)
      told = true
    }
    await clock.sleep(ASK_EVERY_MS, halt)
  }
  return undefined
}

/** A failure that may pass is an answer too. */
function passing(error: unknown): PosthaulError {
  if (error instanceof PosthaulError && error.code === 'unavailable') return error
  throw error
}

function notListed(names: string): PosthaulError {
  return new PosthaulError(`the project does not list the group types that were made for it: ${names}`, {
    code: 'unavailable',
    hint: 'none of the input was sent; run the same command again later, and it looks again',
  })
}
