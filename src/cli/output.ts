import { Writable } from 'node:stream'
import { renderError } from '../commands/render-error.ts'
import { EXIT, type ExitCode, PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import { fileError } from '../store/file-error.ts'

type Target = Writable & { readonly isTTY?: boolean; readonly columns?: number }

/**
 * Standard output, as commands have it. A command never fails because its output can't be written: it does its work,
 * gives back its locks and has its own exit code. `main.ts` asks afterwards what became of the output.
 */
export class Output extends Writable {
  /** Why the rest was not written. */
  failure: NodeJS.ErrnoException | undefined
  readonly #to: Target
  readonly #unread = new AbortController()

  constructor(to: Target) {
    super()
    this.#to = to
    // The callback of the write that failed says it too; without a listener the event would end the process.
    to.on('error', () => undefined)
  }

  get isTTY(): boolean {
    return this.#to.isTTY === true
  }

  get columns(): number | undefined {
    return this.#to.columns
  }

  /** Aborted once the reader is gone (`posthaul … | head`). A command that only prints may stop then. */
  get unread(): AbortSignal {
    return this.#unread.signal
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    const flowing = this.#to.write(chunk, (error) => {
      if (error) this.#fail(error)
      if (!flowing) done()
    })
    // At once where the target takes it: lines on stderr that come later must not overtake these.
    if (flowing) done()
  }

  #fail(error: NodeJS.ErrnoException): void {
    this.failure ??= error
    if (error.code === 'EPIPE') this.#unread.abort()
  }
}

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
