import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../../bench/generate/random.ts'
import { POSTHAUL } from '../../bench/paths.ts'

export interface Stage {
  /** The command line, the same every time. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  /** Milliseconds between two kills, on average. */
  readonly killEveryMs: number
  /** The last kill is this one. A busy machine may take longer to start a process than a short soak lets it live. */
  readonly mostKills: number
  readonly seed: number
  readonly say: (text: string) => void
  /** Called after each run. Throws if going on makes no sense. */
  readonly look?: () => void
}

/** What a command did, over all its runs. */
export interface Survived {
  readonly code: number
  /** The summary of the last run. */
  readonly summary: Summary
  readonly kills: number
  /** Runs that ended by themselves with 5, because of a fault, and were run again. */
  readonly paused: number
  readonly peakMib: number
  readonly seconds: number
}

/** What the soak reads of a summary (docs/exit-codes-and-json.md). */
export interface Summary {
  readonly counts: Readonly<Record<string, number>>
}

const LOOK_MS = 50
/** Runs in a row that may end with 5, or be killed, after which the soak gives up. */
const MOST_RUNS = 5000
const PAUSED = 5
const DONE = [0, 3]

/** Runs a command to its end. It is killed again and again meanwhile, and started again by the same command line. */
export async function underKills({
  argv,
  env,
  folder,
  killEveryMs,
  mostKills,
  seed,
  say,
  look,
}: Stage): Promise<Survived> {
  const random = new Random(seed)
  const started = performance.now()
  let [kills, paused, peakMib] = [0, 0, 0]
  for (let run = 0; run < MOST_RUNS; run++) {
    const child = spawn(process.execPath, [POSTHAUL, ...argv, '--json'], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-4000)
    })
    const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
    const life = killEveryMs * (0.5 + random.next())
    const timer = kills < mostKills ? setTimeout(() => child.kill('SIGKILL'), life) : undefined
    let alive = true
    void ended.then(() => {
      alive = false
    })
    while (alive) {
      peakMib = Math.max(peakMib, peakOf(child.pid!))
      await Promise.race([sleep(LOOK_MS), ended])
    }
    clearTimeout(timer)
    const [code, signal] = await ended
    look?.()
    if (signal === 'SIGKILL') {
      kills++
      say(`${argv[0]}: killed for the ${nth(kills)} time`)
    } else if (code === PAUSED) {
      paused++
      say(`${argv[0]}: ended with ${PAUSED}, and runs again`)
    } else {
      const seconds = (performance.now() - started) / 1000
      if (code === null || !DONE.includes(code))
        throw new Error(`${argv[0]} ended with ${code ?? signal}:\n${stderr}`)
      return { code, summary: JSON.parse(stdout) as Summary, kills, paused, peakMib, seconds }
    }
  }
  throw new Error(`${argv[0]} is not done after ${MOST_RUNS} runs`)
}

/** The most memory that a process ever had, in MiB, as Linux knows it; 0 when it has ended. */
function peakOf(pid: number): number {
  try {
    const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kib ?? 0) / 1024
  } catch {
    return 0
  }
}

function nth(count: number): string {
  const ending = ['th', 'st', 'nd', 'rd'][count % 100 > 10 && count % 100 < 14 ? 0 : count % 10] ?? 'th'
  return `${count}${ending}`
}
