import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Build, inModules } from './build.ts'
import { type HistoryName, writeHistory } from './generate/history.ts'
import { POSTHAUL } from './paths.ts'
import type { Plan } from './plan.ts'
import { runNode, type Sample } from './process.ts'

const SEED = 20_240_301

/** How a transform is run, where it differs from what a user has. */
interface Way {
  /** The command line of another build. */
  readonly program?: string
  /** Options of node itself. */
  readonly node?: readonly string[]
  /** More options of the command. */
  readonly options?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

/** What every measurement works with: the plan, a folder of its own, and the inputs in it. */
export class Bench {
  readonly plan: Plan
  /** This checkout's, and another's where the two are compared. */
  readonly builds: readonly Build[]
  readonly folder: string
  /** Prints what is going on. */
  readonly say: (text: string) => void
  /** By the folder of the build. */
  readonly #inModules = new Map<string, Build>()

  private constructor(plan: Plan, builds: readonly Build[], folder: string, say: (text: string) => void) {
    this.plan = plan
    this.builds = builds
    this.folder = folder
    this.say = say
  }

  static async open(plan: Plan, builds: readonly Build[], say: (text: string) => void): Promise<Bench> {
    const folder = await mkdtemp(join(process.env.BENCH_FOLDER ?? tmpdir(), 'posthaul-bench-'))
    return new Bench(plan, builds, folder, say)
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  /** The history of that name and size; made once. */
  async input(history: HistoryName, count: number): Promise<string> {
    const path = this.path(`${history.replace(' ', '-')}-${count}.${history === 'csv' ? 'csv' : 'ndjson'}`)
    if (!existsSync(path)) {
      this.say(`writing ${count.toLocaleString('en')} records: ${history}`)
      await writeHistory(path, history, count, SEED)
    }
    return path
  }

  /** The whole transform of a history, into a fresh dataset. */
  async transform(history: HistoryName, count: number, out: string, how: Way = {}): Promise<Sample> {
    const { program = POSTHAUL, node = [], options = [], env } = how
    const input = await this.input(history, count)
    await this.remove(out)
    const preset = history === 'csv' ? 'events' : history.split(' ')[0]!
    const args = ['transform', '--preset', preset, '--in', input, '--out', this.path(out), ...options]
    return runNode([...node, program, ...args], env)
  }

  /** The build with a file for each module, see `inModules`. Compiled once. */
  inModules(build: Build): Build {
    const known = this.#inModules.get(build.folder)
    if (known) return known
    const made = inModules(build, this.path(`modules-${this.#inModules.size}`))
    this.#inModules.set(build.folder, made)
    return made
  }

  async remove(name: string): Promise<void> {
    await rm(this.path(name), { recursive: true, force: true })
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }
}
