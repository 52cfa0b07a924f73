import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compiled } from './paths.ts'

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
  const hook = ['--import', pathToFileURL(compiled('usage.ts')).href]
  const started = performance.now()
  const child = spawn(process.execPath, [...hook, ...args], {
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
