import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Vendor, writeHistory } from './generate/history.ts'
import type { Variety } from './generate/shape.ts'
import { POSTHAUL } from './paths.ts'
import type { Plan } from './plan.ts'
import { runNode, type Sample } from './process.ts'

const SEED = 20_240_301

/** What every measurement works with: the plan, a folder of its own, and the inputs in it. */
export class Bench {
  readonly plan: Plan
  readonly folder: string
  /** Prints what is going on. */
  readonly say: (text: string) => void

  private constructor(plan: Plan, folder: string, say: (text: string) => void) {
    this.plan = plan
    this.folder = folder
    this.say = say
  }

  static async open(plan: Plan, say: (text: string) => void): Promise<Bench> {
    return new Bench(plan, await mkdtemp(join(process.env.BENCH_FOLDER ?? tmpdir(), 'posthaul-bench-')), say)
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  /** The history of that vendor, size and variety; made once. */
  async input(vendor: Vendor, count: number, variety: Variety = 'usual'): Promise<string> {
    const path = this.path(`${vendor}-${variety}-${count}.ndjson`)
    if (!existsSync(path)) {
      this.say(`writing ${count.toLocaleString('en')} ${variety} ${vendor} records`)
      await writeHistory(path, { vendor, variety, count }, SEED)
    }
    return path
  }

  /** The whole transform of a history, into a fresh dataset; `hook` are options of node itself. */
  async transform(vendor: Vendor, count: number, out: string, hook: readonly string[] = []): Promise<Sample> {
    const input = await this.input(vendor, count)
    await this.remove(out)
    return runNode([
      ...hook,
      POSTHAUL,
      'transform',
      '--preset',
      vendor,
      '--in',
      input,
      '--out',
      this.path(out),
    ])
  }

  async remove(name: string): Promise<void> {
    await rm(this.path(name), { recursive: true, force: true })
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }
}
