import { run } from './cli.ts'
import { EXIT, SIGNALS } from './errors.ts'

const interruption = new AbortController()
for (const signal of Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]) {
  process.on(signal, () => {
    // The first signal asks for a drain: what is under way is finished and the state is saved.
    if (!interruption.signal.aborted) return interruption.abort(signal)
    // A terminal that closes sends SIGHUP up to three times (the kernel, the shell, the kernel again): one request.
    if (signal === 'SIGHUP') return
    // A second signal means now. To exit would wait for work on other threads, so the signal itself ends the process.
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

// A reader that is gone (`posthaul … | head`) ends the run; a terminal that is gone does not, its SIGHUP does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done)
  if (error.code !== 'EIO') throw error
})

// Nobody reads stderr any more: no reason to stop.
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

// Where the terminal is gone, node aborts when it resets the terminal at its exit. Ended by the signal, the process has
// the same exit code to a shell.
const streams = [process.stdin, process.stdout, process.stderr]
if (interruption.signal.reason === 'SIGHUP' && streams.some((stream) => stream.isTTY)) {
  process.removeAllListeners('SIGHUP')
  process.kill(process.pid, 'SIGHUP')
}
