import { run } from './cli.ts'
import { EXIT } from './errors.ts'

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The first signal asks for a drain; a second one means now, and to exit would wait for what runs on threads.
    if (!interruption.signal.aborted) return interruption.abort(signal)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
// A reader that went away (`posthaul … | head`) is no bug.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done)
  throw error
})

// Nor is one of stderr: what can't be said any more is no reason to stop.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

process.exitCode = await run({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  argv: process.argv.slice(2),
  interrupted: interruption.signal,
})
