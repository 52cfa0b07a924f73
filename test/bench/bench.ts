import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { HISTORIES, type HistoryName, writeHistory } from './generate/history.ts'
import { POSTHAUL } from './paths.ts'
import { runNode, type Sample } from './process.ts'

const SEED = 20_240_301

/** How much is measured: counted runs of each contender, and events. */
export interface Plan {
  readonly name: 'smoke' | 'quick' | 'full'
  readonly rounds: number
  readonly histories: readonly HistoryName[]
  readonly transform: number
  readonly import: number
  /** Into the sandbox, and out of it. */
  readonly sandbox: number
  /** Sizes for memory and for the cost of one event. */
  readonly sizes: readonly [small: number, large: number]
}

export const PLANS: Readonly<Record<Plan['name'], Plan>> = {
  smoke: { name: 'smoke', rounds: 1, histories: HISTORIES, transform: 600, import: 600, sandbox: 600, sizes: [300, 600] }, // biome-ignore format: a plan a line
  quick: { name: 'quick', rounds: 3, histories: HISTORIES, transform: 200_000, import: 100_000, sandbox: 20_000, sizes: [100_000, 400_000] }, // biome-ignore format: a plan a line
  full: { name: 'full', rounds: 3, histories: HISTORIES, transform: 500_000, import: 500_000, sandbox: 300_000, sizes: [1_000_000, 10_000_000] }, // biome-ignore format: a plan a line
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

/** What every measurement works with: the plan, a folder of its own, and the inputs in it. */
export class Bench {
  readonly plan: Plan
  /** Of another checkout, where the two are compared. */
  readonly other: Build | undefined
  readonly folder: string

  private constructor(plan: Plan, other: Build | undefined, folder: string) {
    this.plan = plan
    this.other = other
    this.folder = folder
  }

  static async open(plan: Plan, other: Build | undefined): Promise<Bench> {
    return new Bench(
      plan,
      other,
      await mkdtemp(join(process.env.BENCH_FOLDER ?? tmpdir(), 'posthaul-bench-')),
    )
  }

  /** Prints what is going on. */
  say(text: string): void {
    process.stderr.write(`${text}\n`)
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  /** The history of that name and size; made once. */
  async input(history: HistoryName, count: number): Promise<string> {
    const path = this.path(`${history}-${count}.${history === 'csv' ? 'csv' : 'ndjson'}`)
    if (!existsSync(path)) {
      this.say(`writing ${count.toLocaleString('en')} records: ${history}`)
      await writeHistory(path, history, count, SEED)
    }
    return path
  }

  /** The whole transform of a history, into a fresh dataset. */
  async transform(history: HistoryName, count: number, out: string, program = POSTHAUL): Promise<Sample> {
    const input = await this.input(history, count)
    await this.remove(out)
    const preset = history === 'csv' ? 'events' : history
    return runNode([program, 'transform', '--preset', preset, '--in', input, '--out', this.path(out)])
  }

  async remove(name: string): Promise<void> {
    await rm(this.path(name), { recursive: true, force: true })
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }
}
