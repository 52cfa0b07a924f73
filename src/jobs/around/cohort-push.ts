import { createHash } from 'node:crypto'
import type { AroundCohort, AroundFolder } from '../../around/index.ts'
import { PosthaulError } from '../../errors.ts'
import { MS_PER_MINUTE } from '../../text/index.ts'
import type { PushTools } from './push-tools.ts'

/** Members of one request. */
const PIECE = 10_000
const FIRST_LOOK_MS = 200
const MOST_LOOK_MS = 5000
const LONGEST_MS = 10 * MS_PER_MINUTE

/** What tells a file of members from another one. */
export async function memberSum(folder: AroundFolder, file: string): Promise<string> {
  const sum = createHash('sha256')
  for await (const page of folder.members(file)) sum.update(JSON.stringify(page))
  return sum.digest('hex')
}

interface Filled {
  readonly sent: number
  /** Null where the server doesn't count them. */
  readonly unmatched: number | null
  readonly sum: string
}

/** Adds the members of a file to a static cohort, some thousands at a time. One that is there already stays. */
export async function fillCohort(
  cohort: AroundCohort,
  id: string,
  { folder, project, retry, memberId }: Pick<PushTools, 'folder' | 'project' | 'retry' | 'memberId'>,
): Promise<Filled> {
  const sum = createHash('sha256')
  let sent = 0
  let unmatched: number | null = 0
  let piece: string[] = []
  const send = async () => {
    if (piece.length === 0) return
    await project.fill(cohort, id, piece)
    const missed = await untilFilled()
    unmatched = unmatched === null || missed === null ? null : unmatched + missed
    sent += piece.length
    piece = []
  }
  const untilFilled = async (): Promise<number | null> => {
    const from = retry.clock.now()
    for (let ms = FIRST_LOOK_MS; ; ms = Math.min(2 * ms, MOST_LOOK_MS)) {
      const found = await project.cohort(id)
      if (!found.isCalculating) return found.unmatched
      if (retry.clock.now() - from > LONGEST_MS || retry.signal.aborted)
        throw new PosthaulError(`PostHog is still reading the members of the cohort ${cohort.name}`, {
          code: 'unavailable',
          hint: 'run the same command again later',
        })
      await project.api.pause(ms)
    }
  }
  for await (const page of folder.members(cohort.file!)) {
    sum.update(JSON.stringify(page))
    piece.push(...page.map(memberId))
    if (piece.length >= PIECE) await send()
  }
  await send()
  return { sent, unmatched, sum: sum.digest('hex') }
}
