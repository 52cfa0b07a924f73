import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The repository's root, from the sources and from where they are compiled to alike. */
export const ROOT = rootAbove(import.meta.dirname)
/** The command line as a user has it; built by `npm run build`. */
export const POSTHAUL = join(ROOT, 'bin/posthaul.js')

/** The compiled file of the bench. */
export function compiled(name: string): string {
  return join(ROOT, 'test/bench/dist/test/bench', name)
}

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'bin/posthaul.js')) ? folder : rootAbove(dirname(folder))
}

/** What a whole process used, from start to exit. */
export interface Sample {
  readonly seconds: number
  /** Processor seconds of all threads. */
  readonly cpu: number
  /** Peak memory. */
  readonly megabytes: number
  readonly stdout: string
}

/** Runs node with the arguments to its end. Rejects if the exit code is not 0. */
export async function runNode(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Sample> {
  const usage = join(tmpdir(), `posthaul-bench-usage-${process.pid}.json`)
  // This process must not wait for writes of an earlier one when it syncs its own files, so the disk is synced first.
  execFileSync('sync')
  const started = performance.now()
  const child = spawn(process.execPath, ['--require', compiled('usage.cjs'), ...args], {
    env: { ...process.env, ...env, BENCH_USAGE: usage },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-4000)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve)
  })
  const seconds = (performance.now() - started) / 1000
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}:\n${stderr}`)
  const used = JSON.parse(readFileSync(usage, 'utf8')) as { cpu: number; megabytes: number }
  rmSync(usage)
  return { seconds, ...used, stdout }
}

/** Runs `work` with the address of a sink; if a path is given, the sink keeps the events there. */
export async function withSink<T>(work: (origin: string) => Promise<T>, path?: string): Promise<T> {
  const child = spawn(process.execPath, [compiled('contenders/sink.js'), ...(path ? [path] : [])], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const [address] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
    return await work(address.trim())
  } finally {
    const ended = once(child, 'exit')
    child.stdin.end()
    await ended
  }
}
