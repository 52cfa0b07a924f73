import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, onTestFinished } from 'vitest'
import { type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts'
import { CommandHost } from '../helpers/command-host.ts'
import type { Outcome } from './listing.ts'
import { openWire } from './wire.ts'

/** Always the same: sums and ids of some files depend on where they lie. So one gate runs at a time. */
const FOLDER = '/tmp/posthaul-gate'
const LOCK = `${FOLDER}.lock`
const NOW = '2026-12-24T12:00:00Z'
const SERVICE_PORT = 8123
const KEYS = { projectKey: 'phc_gate', personalKey: 'phx_gate' }
const SERVICE = `http://127.0.0.1:${SERVICE_PORT}`

await beAlone()
const wire = await openWire(new Date(NOW))
const world = new URL('fixed-world.mjs', import.meta.url)
afterAll(() => {
  wire.close()
  rmSync(LOCK, { force: true })
})

/** Waits while another gate of this machine is at work. */
async function beAlone(): Promise<void> {
  for (;;) {
    try {
      return writeFileSync(LOCK, String(process.pid), { flag: 'wx' })
    } catch {
      const pid = Number(existsSync(LOCK) ? readFileSync(LOCK, 'utf8') : 0)
      if (pid > 0 && !isAlive(pid)) rmSync(LOCK, { force: true })
      await setTimeout(500)
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Where a scene is played: a folder, a sandbox of its own, and commands in a world that is always the same. */
export interface Stage extends Outcome {
  /** Runs a command line in the folder. Its code must be one of `codes`. */
  run(argv: readonly string[], codes?: readonly number[]): Promise<string>
}

export async function openStage(options: SandboxOptions = {}): Promise<Stage> {
  const sandbox = await startSandbox({ ...KEYS, now: () => Date.parse(NOW), ...options })
  onTestFinished(() => sandbox.close())
  wire.lead(sandbox.url)
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(join(FOLDER, 'tmp'), { recursive: true })
  onTestFinished(() => rmSync(FOLDER, { recursive: true, force: true }))
  // A process of its own: the limits of queries are a process's, and this clock never gives them back.
  const host = new CommandHost(
    { GATE_NOW: NOW, GATE_SERVICE_PORT: String(SERVICE_PORT), GATE_REAL_PORT: String(wire.port) },
    ['--import', world.href],
  )
  onTestFinished(() => host.close())
  const env = {
    POSTHOG_HOST: SERVICE,
    POSTHOG_INGEST_HOST: SERVICE,
    POSTHOG_PROJECT_API_KEY: sandbox.projectKey,
    POSTHOG_PERSONAL_API_KEY: sandbox.personalKey,
    POSTHOG_PROJECT_ID: String(sandbox.projectId),
    XDG_STATE_HOME: join(FOLDER, 'state'),
    TMPDIR: join(FOLDER, 'tmp'),
  }
  const printed: { argv: readonly string[]; code: number; stdout: string }[] = []
  return {
    folder: FOLDER,
    printed,
    get requests() {
      return wire.requests()
    },
    async run(argv, codes = [0]) {
      const { code, stdout, stderr } = await host.run(argv, env, FOLDER)
      if (code === null || !codes.includes(code))
        throw new Error(`${argv.join(' ')}: exit ${code}\n${stderr}`)
      printed.push({ argv, code, stdout })
      return stdout
    },
  }
}
