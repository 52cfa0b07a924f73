import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type HistoryName, writeHistory } from './generate/history.ts'
import { POSTHAUL, ROOT, runNode, type Sample } from './process.ts'

const SEED = 20_240_301

/** Two sizes of an input: what one takes more than the other has no start in it. */
type Sizes = readonly [small: number, large: number]

/** How much is measured: runs of each contender, and events. */
export interface Plan {
  readonly name: 'smoke' | 'quick' | 'full'
  readonly rounds: number
  readonly transform: Sizes
  /** Of mixpanel-import, which takes ten times as long. */
  readonly slow: Sizes
  readonly import: number
  /** Into the sandbox, and out of it. */
  readonly sandbox: number
  /** For memory and growth. */
  readonly growth: readonly [small: number, middle: number, large: number]
}

export const PLANS: Readonly<Record<Plan['name'], Plan>> = {
  smoke: { name: 'smoke', rounds: 1, transform: [300, 900], slow: [100, 300], import: 600, sandbox: 600, growth: [200, 600, 1800] }, // biome-ignore format: a plan a line
  quick: { name: 'quick', rounds: 3, transform: [40_000, 160_000], slow: [5_000, 20_000], import: 120_000, sandbox: 30_000, growth: [100_000, 300_000, 700_000] }, // biome-ignore format: a plan a line
  full: { name: 'full', rounds: 5, transform: [100_000, 400_000], slow: [10_000, 40_000], import: 500_000, sandbox: 300_000, growth: [300_000, 1_000_000, 10_000_000] }, // biome-ignore format: a plan a line
}

/** A checkout of posthaul that `npm run build` was run in. */
export interface Build {
  /** Short. */
  readonly commit: string
  /** What node runs. */
  readonly program: string
}

/** The build in the folder of a checkout. Throws if there is none. */
export function buildIn(folder: string): Build {
  if (!existsSync(join(folder, 'dist'))) throw new Error(`${folder} has no build: npm run build makes one`)
  const revision = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: folder, encoding: 'utf8' })
  return { commit: revision.trim(), program: resolve(folder, 'bin/posthaul.js') }
}

const PEERS = join(ROOT, 'test/bench')

/** Whether mixpanel-import is there; posthog-node is, since tests use it too. */
export function hasPeers(): boolean {
  return existsSync(join(PEERS, 'node_modules/mixpanel-import'))
}

/** Installs the programs that posthaul is measured against in the bench's own folder. */
export function installPeers(): void {
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--loglevel=error']
  execFileSync('npm', ['install', ...quiet], { cwd: PEERS, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** What every measurement works with: the plan, a folder of its own, and the inputs in it. */
export class Bench {
  readonly plan: Plan
  /** Of another checkout, where the two are compared. */
  readonly other: Build | undefined
  readonly #folder = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'posthaul-bench-'))

  constructor(plan: Plan, other: Build | undefined) {
    this.plan = plan
    this.other = other
  }

  /** Prints what is going on. */
  say(text: string): void {
    process.stderr.write(`${text}\n`)
  }

  path(name: string): string {
    return join(this.#folder, name)
  }

  /** The history of that name and size; made once. */
  async input(history: HistoryName, count: number): Promise<string> {
    const path = this.path(`${history}-${count}.${history === 'csv' ? 'csv' : 'ndjson'}`)
    if (!existsSync(path)) await writeHistory(path, history, count, SEED)
    return path
  }

  /** The whole transform of a history, into a fresh dataset. */
  async transform(
    history: HistoryName,
    count: number,
    out: string,
    { program = POSTHAUL, more = [] }: { program?: string; more?: readonly string[] } = {},
  ): Promise<Sample> {
    const input = await this.input(history, count)
    await this.remove(out)
    const preset = history === 'csv' ? 'events' : history
    return runNode([
      program,
      'transform',
      '--preset',
      preset,
      '--in',
      input,
      '--out',
      this.path(out),
      ...more,
    ])
  }

  /** Imports a dataset from its first event on, as fast as it goes. */
  async import(dataset: string, env: NodeJS.ProcessEnv): Promise<Sample> {
    const from = ['import', '--dataset', this.path(dataset), '--approved', '--restart', '--json']
    const fast = ['--via', 'batch', '--max-events-per-minute', '100000000']
    return runNode([POSTHAUL, ...from, ...fast], { ...env, XDG_STATE_HOME: this.path('state') })
  }

  async remove(name: string): Promise<void> {
    await rm(this.path(name), { recursive: true, force: true })
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }
}
