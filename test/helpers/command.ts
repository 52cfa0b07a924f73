import { PassThrough, Readable } from 'node:stream'
import { earlyFormat } from '../../src/cli/early.ts'
import { run } from '../../src/cli.ts'
import { DRAIN_MS, Drain } from '../../src/drain.ts'
import { Telemetry } from '../../src/telemetry/telemetry.ts'
import { assertResults } from './results.ts'
import { stateHome } from './state-home.ts'

/** What a command printed and how it ended. */
export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Width of the terminal that stdout is; a pipe without it. */
  readonly columns?: number
  /** Width of what stderr is shown on; a pipe without it. It has no bars and no colours. */
  readonly screen?: number | undefined
  readonly stdin?: string
  readonly signal?: AbortSignal
  /** Runs the compiled program, whose worker threads can start. */
  readonly built?: boolean
}

const BUILT = new URL('../../dist/main.js', import.meta.url).href

/** Runs a command line in this process, with streams and an environment of its own. What it prints with `--json` fits its schema. */
export async function runCommand(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { env = {}, columns, screen, stdin = '', signal = new AbortController().signal } = options
  const stdout = collector(columns && { columns, isTTY: true })
  const stderr = collector(screen && { columns: screen })
  const program: { run: typeof run } = options.built ? await import(/* @vite-ignore */ BUILT) : { run }
  const telemetry = new Telemetry(stderr.stream, earlyFormat(argv, env))
  const drain = new Drain(signal)
  // A busy machine takes long to load a command's work, and that ends by itself once it is loaded.
  drain.allow(DRAIN_MS)
  const code = await program.run({
    argv,
    // A terminal without colours, whose text a test can read.
    env: { ...stateHome(), ...(columns !== undefined && { TERM: 'dumb' }), ...env },
    stdin: Readable.from([Buffer.from(stdin)]) as unknown as NodeJS.ReadStream,
    stdout: stdout.stream as unknown as NodeJS.WriteStream,
    stderr: telemetry.stderr,
    telemetry,
    interrupted: signal,
    unread: new AbortController().signal,
    drain,
  })
  await telemetry.close(code)
  assertResults(argv, stdout.text())
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function collector(terminal: object | 0 | undefined) {
  const chunks: Buffer[] = []
  const stream = new PassThrough()
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  Object.assign(stream, terminal || {})
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') }
}
