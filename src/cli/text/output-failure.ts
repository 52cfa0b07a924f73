import { EXIT, type ExitCode, PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { renderError } from '../../jobs/render-error.ts'
import { fileError } from '../../store/index.ts'
import type { Output } from './output.ts'

/**
 * The exit code of a run that ended with `code`. Where its output could not be written, that is said, and a run that
 * would be done ends as paused: a script must not take half an output for a whole one.
 */
export function withOutput(
  code: ExitCode,
  { failure, isTTY }: Pick<Output, 'failure' | 'isTTY'>,
  io: Io,
): ExitCode {
  // A reader that is gone wanted no more. A terminal that is gone ends the run by its SIGHUP.
  if (failure === undefined || failure.code === 'EPIPE' || (isTTY && failure.code === 'EIO')) return code
  const told = fileError(failure, 'write', 'to stdout')
  const error = new PosthaulError(
    `${told instanceof Error ? told.message : failure.message}; a part of the output is lost`,
    {
      code: 'unavailable',
      hint: 'what was done is done; run the same command again for its output',
      cause: failure,
    },
  )
  if (code === EXIT.done) return renderError(error, io)
  io.telemetry.note('posthaul', error.message, 'error')
  return code
}
