import { run } from './cli.ts'
import { EXIT, SIGNALS } from './errors.ts'
import { keepPrivate } from './file-modes.ts'

keepPrivate()

const interruption = new AbortController()
for (const signal of Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]) {
  process.on(signal, () => {
    // After the first signal the run finishes what is under way and saves its state.
    if (!interruption.signal.aborted) return interruption.abort(signal)
    // A terminal that closes sends SIGHUP up to three times (the kernel, the shell, the kernel again): one request.
    if (signal === 'SIGHUP') return
    // A second signal ends the process at once, by the signal itself: an exit would wait for work on other threads.
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

// If the reader of a pipe is gone (`posthaul … | head`), the run ends. If the terminal is gone, its SIGHUP ends it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done)
  if (error.code !== 'EIO') throw error
})

// The run continues without stderr.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
})

process.exitCode = await run({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  argv: process.argv.slice(2),
  interrupted: interruption.signal,
})

// If the terminal is gone, node aborts when it resets the terminal at its exit. So the signal ends the process, which
// gives a shell the same exit code.
const streams = [process.stdin, process.stdout, process.stderr]
if (interruption.signal.reason === 'SIGHUP' && streams.some((stream) => stream.isTTY)) {
  process.removeAllListeners('SIGHUP')
  process.kill(process.pid, 'SIGHUP')
}
