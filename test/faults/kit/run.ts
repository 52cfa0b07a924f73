import { join } from 'node:path'
import { type CliProcess, type Ended, startCli } from '../../helpers/cli-process.ts'
import { runCommand } from '../../helpers/command.ts'
import { runHosted } from '../../helpers/command-host.ts'
import { testFolder } from '../../helpers/folder.ts'
import { FastClock } from './clock.ts'
import { type MintedEvent, type MintOptions, mint } from './mint.ts'
import { Oracle, type Summary } from './oracle.ts'
import type { Service } from './service.ts'

interface ImportSetup extends MintOptions {
  readonly service: Service
  /** The rate cap; so high that it costs no time, if left out. */
  readonly perMinute?: number
  /** The program's clock; the machine's own if left out. */
  readonly clock?: FastClock
  readonly folder?: string
  /** The address that the program is given, if not the service's own. */
  readonly url?: string
  readonly env?: Readonly<Record<string, string>>
}

/** How a run of an import ended. */
export interface Imported extends Ended {
  /** Undefined if the run ended before it had anything to sum up. */
  readonly summary: Summary | undefined
}

const NO_CAP = 100_000_000
const KEY = 'phc_faults'

/** An import of events that are made for one test: the same command line as often as the test runs it. */
export class FaultyImport {
  readonly minted: readonly MintedEvent[]
  readonly oracle: Oracle
  readonly input: string
  readonly rejectsFile: string
  /** The command line without the options that a run adds, and its environment. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly #setup: ImportSetup
  #last: Imported | undefined

  constructor(setup: ImportSetup) {
    const { service, url = service.url, perMinute = NO_CAP, clock = new FastClock(1), env = {} } = setup
    this.#setup = setup
    this.input = join(setup.folder ?? testFolder(), 'events.ndjson')
    this.rejectsFile = `${this.input}.rejects.ndjson`
    this.minted = mint(this.input, setup)
    this.oracle = new Oracle(this.minted)
    const caps = ['--approved', '--max-events-per-minute', String(perMinute)]
    // What the run saves at its end takes the time of the real disk.
    const patient = clock.speed === 1 ? {} : { POSTHAUL_DRAIN: '1d' }
    this.argv = ['import', '--file', this.input, ...caps, '--json']
    this.env = {
      POSTHOG_PROJECT_API_KEY: KEY,
      POSTHOG_INGEST_HOST: url,
      ...patient,
      ...clock.env,
      ...env,
      // The clock runs fast with the jumps that others make.
      NODE_OPTIONS: [env.NODE_OPTIONS, clock.env.NODE_OPTIONS].join(' ').trim(),
    }
  }

  start(...more: readonly string[]): CliProcess {
    return startCli([...this.argv, ...more], this.env)
  }

  /** Runs it to its end; in a process of its own only where Node itself has to be started otherwise. */
  async run(...more: readonly string[]): Promise<Imported> {
    const { NODE_OPTIONS, NODE_EXTRA_CA_CERTS } = this.#setup.env ?? {}
    if (NODE_OPTIONS ?? NODE_EXTRA_CA_CERTS) return this.ended(await this.start(...more).ended)
    return this.ended(await runHosted([...this.argv, ...more], this.env))
  }

  /** The same in this process, which takes a fraction of the time: for a run that nothing but its files and the service disturbs. */
  async runHere(...more: readonly string[]): Promise<Imported> {
    return this.ended({ ...(await runCommand([...this.argv, ...more], { env: this.env })), signal: null })
  }

  /** Takes note of how a run ended. */
  ended(ended: Ended): Imported {
    const said = ended.stdout === '' ? undefined : (JSON.parse(ended.stdout) as Summary)
    this.#last = { ...ended, summary: said && 'counts' in said ? said : undefined }
    return this.#last
  }

  /** Holds what the service received against what was made, and against what the last run said. */
  judge(): void {
    const { service, perMinute, clock } = this.#setup
    const { rejectsFile } = this
    const summary = this.#last?.summary
    if (summary === undefined) throw new Error(`no summary to judge: ${this.#last?.stderr}`)
    const cap = perMinute === undefined ? {} : { perMinute }
    this.oracle.judge({ service, rejectsFile, summary, speed: clock?.speed ?? 1, ...cap })
  }
}
