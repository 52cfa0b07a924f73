import {
  type ImportState,
  type InputSource,
  isSameProject,
  type LedgerTarget,
  stillThere,
  takenFrom,
} from '../../delivery/index.ts'
import { type ErrorCode, PosthaulError } from '../../errors.ts'
import { RESEND_MERGES } from '../../record/index.ts'
import { isS3 } from '../../store/index.ts'
import { plural, shellWord } from '../../text/index.ts'
import type { ImportOrder } from './import-order.ts'
import { openState, type StatePlace } from './state-place.ts'

const NOTHING_THERE: readonly ErrorCode[] = ['usage', 'auth']

/**
 * Throws `mismatch` if this import has no state of its own, but was begun with its state elsewhere: begun anew, all that
 * was delivered would be sent again. So does the state of this dataset as it was before it was made anew, for the same
 * project. A state elsewhere that is another input's is only noted.
 */
export async function assertNotBegunElsewhere(
  { source: { input: own }, place: { at, others, restart }, guards }: ImportOrder,
  target: LedgerTarget,
  state: ImportState,
  openSource: () => Promise<InputSource>,
  note: (text: string) => void,
): Promise<void> {
  if (restart || (await state.load())) return
  for (const place of others) {
    const other = await openState(place)
    const loaded = await other.load().catch((error: unknown) => {
      // A file that is no checkpoint is nobody's state. A bucket that may not be read there holds none of this user's.
      if (error instanceof PosthaulError && NOTHING_THERE.includes(error.code)) return undefined
      throw error
    })
    if (!loaded) continue
    const source = await openSource()
    const isOurs = await source.verify(loaded.state.input).then(
      () => true,
      (error: unknown) => {
        if (error instanceof PosthaulError && error.code === 'mismatch') return false
        throw error
      },
    )
    const path = other.checkpointPath
    if (isOurs) throw begunAt(place, path, at)
    const { input, target: to } = loaded.state
    // An earlier version named states after the last folder alone: there it can be that of another dataset.
    const isThis = input.kind === 'dataset' && input.name === source.name
    if (isThis && isSameProject(target, to) && stillThere(loaded.state) > 0 && !guards.sendAgain) {
      throw madeAnew(own.path, takenFrom(loaded.state), path)
    }
    note(`${path} is of another input; this import keeps its state in ${state.checkpointPath}`)
  }
}

function madeAnew(dataset: string, sent: number, path: string): PosthaulError {
  return new PosthaulError(
    `${dataset} is not what was sent: ${plural(sent, 'event')} of it as it was before were, says ${path}`,
    {
      code: 'mismatch',
      hint: `import with --checkpoint ${shellWord(path)} tells how they differ; to send all of it once more beside them, add --send-again`,
    },
  )
}

function begunAt(other: StatePlace, path: string, { location, ledger }: StatePlace): PosthaulError {
  // Only --state puts both into one place.
  const isNamed = location === ledger
  const there = `go on there with --checkpoint ${path}${isNamed ? ' in place of --state' : ''}`
  const goOn = isS3(other.location) ? 'go on without --state' : there
  return new PosthaulError(`this import was begun with its state in ${path}`, {
    code: 'mismatch',
    hint: `${goOn}; or begin anew with --restart: ${RESEND_MERGES}`,
    ...(!isNamed && { options: { '--checkpoint': path } }),
  })
}
