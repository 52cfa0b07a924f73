import { finished } from 'node:stream/promises'
import { earlyFormat, keepPrivate } from './cli/early.ts'
import { Output, withOutput } from './cli/output.ts'
import { run } from './cli.ts'
import { renderError } from './commands/render-error.ts'
import { Drain } from './drain.ts'
import { EXIT, type ExitCode, SIGNALS } from './errors.ts'
import type { Io } from './io.ts'
import { homeOf } from './store/home.ts'
import { Telemetry } from './telemetry/telemetry.ts'
import { withoutWebhook } from './text/command-line.ts'
import { hasColours } from './text/paint.ts'

/** What is open at the end of a run that was told to stop, such as a name that does not resolve, gets so long to close. */
const LINGER_MS = 1000

/** For who runs command lines in a process of its own, without `main`. */
export { Drain, earlyFormat, homeOf, keepPrivate, run, Telemetry }

type Signal = keyof typeof SIGNALS

/** Runs the command line of this process, and ends the process. */
export async function main(): Promise<void> {
  keepPrivate()
  // Libraries, such as that of S3, fail where there is none.
  process.env.HOME = homeOf(process.env)

  const colours = hasColours(process.stderr, process.env)
  const telemetry = new Telemetry(process.stderr, earlyFormat(process.argv, process.env), colours)
  const interrupted = listen(telemetry)
  const stdout = new Output(process.stdout)
  const io: Io = {
    stdin: process.stdin,
    stdout,
    stderr: telemetry.stderr,
    telemetry,
    env: process.env,
    argv: process.argv.slice(2),
    interrupted,
    unread: stdout.unread,
    drain: new Drain(interrupted),
  }
  // Node would print these past the log. After the first of them nothing is certain: the run ends as by a bug.
  process.on('uncaughtException', (error) => {
    process.off('exit', cutShort)
    void telemetry.close(renderError(error, io)).finally(() => process.exit(EXIT.bug))
  })
  process.on('exit', cutShort)

  const ended = await run(io).finally(() => process.off('exit', cutShort))
  await Promise.race([finished(stdout.end()), lingered(interrupted)])
  const code = withOutput(ended, stdout, { ...io, argv: withoutWebhook(io.argv) })
  await telemetry.close(code)
  process.exitCode = code
  leave(code, interrupted.reason as Signal | undefined, stdout, telemetry)
}

/** Listens to what this process is told. The result is aborted by the first signal that ends it; `reason` is its name. */
function listen(telemetry: Telemetry): AbortSignal {
  const interruption = new AbortController()
  for (const signal of Object.keys(SIGNALS) as Signal[]) {
    process.on(signal, () => {
      // After the first signal the run finishes what is under way and saves its state.
      if (!interruption.signal.aborted) return interruption.abort(signal)
      // A terminal that closes sends SIGHUP up to three times (the kernel, the shell, the kernel again): one request.
      if (signal === 'SIGHUP') return
      // A second signal ends the process at once.
      endBy(signal, telemetry)
    })
  }
  // The run continues without stderr.
  process.stderr.on('error', () => undefined)
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => telemetry.note('posthaul', `${name}: ${message}`, 'warn'))
  return interruption.signal
}

/** Code of somebody's own, such as a preset from a file, can end the process, or wait for what never comes. */
function cutShort(): void {
  process.stderr.write(`posthaul: the process ended before its work was done
  a preset from a file may end it, or wait forever: look at what it does when it is loaded\n`)
  process.exitCode = EXIT.bug
}

/** Ends the process, whose work is done. */
function leave(code: ExitCode, signal: Signal | undefined, stdout: Output, telemetry: Telemetry): void {
  // A reader that takes nothing more can't hold a run that was told to stop.
  if (signal !== undefined && !stdout.writableFinished) endBy(signal, telemetry)
  // What a run left behind would keep the process alive for as long as it hangs.
  const end = () =>
    signal !== undefined && code === SIGNALS[signal] ? endBy(signal, telemetry) : process.exit(code)
  setTimeout(end, LINGER_MS).unref()

  // If the terminal is gone, node aborts when it resets the terminal at its exit. So the signal ends the process, which
  // gives a shell the same exit code.
  if (signal !== 'SIGHUP') return
  const streams = [process.stdin, process.stdout, process.stderr]
  if (streams.some((stream) => stream.isTTY)) endBy(signal, telemetry)
}

/** Resolves when a signal has come and the output has had its time to be read. Keeps nothing alive. */
function lingered(interrupted: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wait = () => void setTimeout(resolve, LINGER_MS).unref()
    if (interrupted.aborted) wait()
    else interrupted.addEventListener('abort', wait)
  })
}

/** Ends the process by the signal itself: an exit would wait for work on other threads. */
function endBy(signal: Signal, telemetry: Telemetry): void {
  // A bar hides the cursor, and keeps lines from wrapping.
  if (telemetry.log.hasBar) process.stderr.write('\r\x1b[K\x1b[?25h\x1b[?7h')
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
  // The kernel spares process 1 of a container the signals that it does not listen to.
  process.off('exit', cutShort)
  if (process.pid === 1) process.exit(SIGNALS[signal])
}
