/*
 * Runs command lines of the built program one after the other, as the parent asks for them (command-host.ts). Each finds
 * the environment and the folder that a process of its own would have.
 */
import { PassThrough, Readable } from 'node:stream'
import { setClock } from '../faults/kit/fast-clock.mjs'

// The program keeps the timers that it finds, so the clock comes first. Until a command asks for another, it is the machine's.
const { Drain, earlyFormat, homeOf, keepPrivate, run, Telemetry } = await import('../../dist/main.js')

process.on('message', async ({ argv, env, cwd, stdin }) => {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.env.HOME = homeOf(process.env)
  process.chdir(cwd)
  keepPrivate()
  setClock(env.POSTHAUL_CLOCK)
  const [stdout, stderr] = [collector(), collector()]
  const telemetry = new Telemetry(stderr.stream, earlyFormat(argv, process.env))
  const { signal } = new AbortController()
  const code = await run({
    argv,
    env: process.env,
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: stdout.stream,
    stderr: telemetry.stderr,
    telemetry,
    interrupted: signal,
    unread: new AbortController().signal,
    drain: new Drain(signal),
  })
  await telemetry.close(code)
  setClock()
  process.send({ code, stdout: stdout.text(), stderr: stderr.text() })
})

process.on('disconnect', () => process.exit())

function collector() {
  const chunks = []
  const stream = new PassThrough()
  stream.on('data', (chunk) => chunks.push(chunk))
  return { stream, text: () => Buffer.concat(chunks).toString() }
}
