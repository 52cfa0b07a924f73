import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const BIN = fileURLToPath(new URL('../../../bin/posthaul.js', import.meta.url))

export interface ChildRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs posthaul as a process in the folder `cwd`; ends it with SIGTERM when `stop` is aborted. */
export function runChild(
  argv: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  stop: AbortSignal,
): Promise<ChildRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [BIN, ...argv], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const onStop = () => child.kill('SIGTERM')
    stop.addEventListener('abort', onStop)
    // Aborted while the one before it ended.
    if (stop.aborted) onStop()
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('error', reject).on('close', (code) => {
      stop.removeEventListener('abort', onStop)
      resolve({ code, stdout, stderr })
    })
  })
}
