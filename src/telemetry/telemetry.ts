import { hostname } from 'node:os'
import { EXITS, type ExitCode, type ExitName } from '../errors.ts'
import { watchRequests } from '../http/request-watch.ts'
import type { Secret } from '../http/secret.ts'
import { sum } from '../text/lists.ts'
import { MS_PER_MINUTE } from '../text/units.ts'
import { number, span } from '../text/words.ts'
import { type Entry, type FateCounts, type Level, requestEntry } from './entry.ts'
import { Log, type LogFormat, type LogSettings, type Screen } from './log.ts'
import type { RunStanding } from './metrics.ts'
import type { MetricsFile } from './metrics-file.ts'
import { StageBook } from './stage-book.ts'
import type { ToldError, Webhook } from './webhook.ts'

/** Where a run tells how it goes. */
export interface TelemetrySettings {
  /** The command, as a user names it: `groups export`. */
  readonly command: string
  readonly log: LogSettings
  /** Address that is told of the run. */
  readonly webhook?: Secret | undefined
  /** File of metrics, which is replaced as the run goes on. */
  readonly metricsFile?: string | undefined
}

/** The summary of a command: what `--json` prints, and what a person reads. */
export interface Summary {
  readonly json: Readonly<Record<string, unknown>>
  readonly text: string
}

/**
 * What a run tells of itself while nobody watches: the lines of its log, and where it stands. A process has one, which
 * `main.ts` makes, and each stage of a run of several reports to it. It is open once the options are known.
 */
/** What --quiet does not hide. */
const WARNS = /^ {2}warning /m

export class Telemetry {
  readonly log: Log
  readonly book = new StageBook()
  /** Standard error for whole lines that are no entry of their own, such as the command that comes next. */
  readonly stderr: {
    readonly isTTY: boolean
    readonly columns: number | undefined
    /** A block of the level `info` is not shown with --quiet. */
    write(block: string, level?: 'warn' | 'info'): void
  }
  readonly #startedAt = process.uptime()
  readonly #startedOn = new Date()
  #settings: TelemetrySettings | undefined
  #metrics: MetricsFile | undefined
  #code: ExitCode | undefined
  /** Those of the command that ended last; of a run of several stages, those of the last one that counted. */
  #counts: FateCounts | null = null
  #told: Summary['json'] | undefined
  readonly #retries = new Map<string, number>()
  #waitedMs = 0
  #finished: boolean | null = null
  #webhook: Webhook | undefined
  #afterwards: (() => Promise<void>) | undefined
  readonly #pauses = new PauseWatch()
  #error: ToldError | undefined

  /** `format`: that of lines that come before the options are known. `colours`: lines for a person have them. */
  constructor(screen: Screen, format: LogFormat = 'auto', colours = false) {
    this.log = new Log(screen, format, colours)
    this.stderr = {
      isTTY: screen.isTTY === true,
      columns: screen.columns,
      write: (block, level = 'info') => {
        this.log.tell({ event: 'text', level, label: this.#command, message: block.trim(), block })
      },
    }
  }

  /** True from the moment that the options are known. A stage of a run finds it open, and leaves it so. */
  get isOpen(): boolean {
    return this.#settings !== undefined
  }

  async open(settings: TelemetrySettings): Promise<void> {
    if (this.#settings) return
    this.#settings = settings
    // `groups export` and `export mixpanel` are one stage each.
    this.book.current = settings.command.split(' ')[0]!
    this.log.open(settings.log)
    if (this.log.shows('debug')) watchRequests((seen) => this.tell(requestEntry(this.#command, seen)))
    await this.notify(settings.webhook)
    await this.#openMetrics(settings.metricsFile)
  }

  /** Takes what the options have left open. */
  async add(format: LogFormat | undefined, metricsFile: string | undefined): Promise<void> {
    const { log } = this.#settings!
    const wanted = log.format === 'auto' ? (format ?? log.format) : log.format
    this.log.open({ ...log, format: wanted })
    if (this.#settings!.metricsFile === undefined) await this.#openMetrics(metricsFile)
  }

  /** Begins to tell an address of the run, unless the options named another. */
  async notify(address: Secret | undefined): Promise<void> {
    if (!address || this.#webhook) return
    const { Webhook } = await import('./webhook.ts')
    const run = { command: this.#command, host: hostname(), startedAt: this.#startedOn }
    this.#webhook = new Webhook(address, run, (message) => this.note('posthaul', message, 'warn'))
    this.#webhook.tell({ event: 'start' })
  }

  /** Tells something that happened. `label`: what is being done. */
  note(label: string, message: string, level: Level = 'info'): void {
    this.log.tell({ event: 'note', level, label, message })
  }

  tell(entry: Entry): void {
    if (entry.event === 'error') {
      const { hint } = entry.members ?? {}
      this.#error = { message: entry.message, hint: typeof hint === 'string' ? hint : null }
    }
    this.log.tell(entry)
  }

  /** Tells the summary of a command, and keeps its counts for the result. No text: a person reads it on stdout. */
  summary(label: string, { json, text }: Summary): void {
    this.#told = json
    const counts = json.counts as FateCounts | null | undefined
    if (counts) {
      this.#counts = counts
      // The counts of a run are those of its stages, which have told them.
      if (json.dry_run !== true && json.command !== 'run') this.book.tell(counts)
    }
    // A dry run is done, though nothing was.
    this.#finished = typeof json.finished === 'boolean' && json.dry_run !== true ? json.finished : null
    const members = { summary: json }
    this.log.tell({
      event: 'summary',
      level: WARNS.test(text) ? 'warn' : 'info',
      label,
      message: text.trim().split('\n')[0] || `${label}: summary`,
      block: text,
      members,
    })
  }

  /** What was told as a summary since the last look, if anything was. A run of several stages looks after each. */
  takeSummary(): Summary['json'] | undefined {
    const told = this.#told
    this.#told = undefined
    return told
  }

  /** Counts a wait before something is tried again. `cause`: a status, or the kind of a network's failure. */
  retried(cause: string, waitMs: number): void {
    this.#retries.set(cause, (this.#retries.get(cause) ?? 0) + 1)
    this.#waitedMs += waitMs
    const readings = this.book.works
    const done = sum(readings.map((reading) => reading.done))
    const stuckMs = this.#pauses.wait(performance.now(), waitMs, done)
    if (stuckMs === undefined) return
    this.#webhook?.tell({ event: 'pause', cause, waitedMs: stuckMs, counts: readings.at(-1)?.counts ?? null })
  }

  /** The members of a JSON line that say what had to be waited for so far. */
  get waits(): Readonly<Record<string, unknown>> {
    return {
      waits: { count: sum([...this.#retries.values()]), seconds: Math.round(this.#waitedMs) / 1000 },
      retries: Object.fromEntries(this.#retries),
    }
  }

  /** What is done once the result is told: a run that is killed before has told nobody. */
  afterwards(work: () => Promise<void>): void {
    this.#afterwards = work
  }

  /** Ends the run: its result is the last line. */
  async close(code: ExitCode): Promise<void> {
    this.#code = code
    await this.#metrics?.close()
    // A command that has no log, such as `status`, has no result to tell.
    if (this.#settings) {
      const [seconds, finished] = [process.uptime() - this.#startedAt, this.#finished]
      const isStopped = this.#error !== undefined
      const ending = { command: this.#command, code, seconds, counts: this.#counts, finished, isStopped }
      const result = resultEntry(ending, this.waits)
      // First the webhook, so that what it warns of comes before the last line.
      await this.#webhook?.end({ event: 'end', result, outcome: outcomeOf(code), error: this.#error })
      if (this.log.shows('debug')) watchRequests(undefined)
      this.log.tell(result)
    }
    await this.#afterwards?.()
  }

  async #openMetrics(path: string | undefined): Promise<void> {
    if (path === undefined) return
    const [{ MetricsFile }, { metricsText }] = await Promise.all([
      import('./metrics-file.ts'),
      import('./metrics.ts'),
    ])
    this.#metrics = await MetricsFile.open({
      path,
      text: (run, earlier) => metricsText(this.#standing, run, earlier),
      failed: (message) => this.note('posthaul', `the metrics file is not written: ${message}`, 'warn'),
    })
  }

  get #standing(): RunStanding {
    return { startedAt: this.#startedOn.getTime(), code: this.#code, book: this.book }
  }

  get #command(): string {
    return this.#settings?.command ?? 'posthaul'
  }
}

/** Somebody is told of waits that have lasted so long without progress. */
const LONG_MS = 5 * MS_PER_MINUTE

/** Notices when a run gets nowhere: once for each time that it is stuck. */
export class PauseWatch {
  #stuck: { readonly since: number; readonly done: number; isTold: boolean } | undefined

  /**
   * Notes a wait of `waitMs` that begins at `now`; `done` is what the run has done so far. Returns for how many
   * milliseconds there will have been no progress then, if that is long and was not told.
   */
  wait(now: number, waitMs: number, done: number): number | undefined {
    if (this.#stuck?.done !== done) this.#stuck = { since: now, done, isTold: false }
    const lasts = now - this.#stuck.since + waitMs
    if (lasts < LONG_MS || this.#stuck.isTold) return undefined
    this.#stuck.isTold = true
    return lasts
  }
}

/** How a run ended. */
interface Ending {
  /** The command, as a user names it. */
  readonly command: string
  readonly code: ExitCode
  readonly seconds: number
  /** Those of the summary; null if there was none. */
  readonly counts: FateCounts | null
  /** Whether the summary says that all was done; null if there was none. */
  readonly finished: boolean | null
  /** An error was told. */
  readonly isStopped: boolean
}

/** How the ways to end are told. An interruption was asked for, but the work is not done. */
const ENDS: Readonly<Record<ExitName, readonly [words: string, level: Level, why?: string]>> = {
  done: ['done', 'info'],
  bug: ['stopped by a bug', 'error'],
  usage: ['not begun', 'error'],
  rejects: ['done', 'warn', 'problems were found'],
  auth: ['stopped', 'error', 'a key is missing, or was refused'],
  paused: ['paused', 'error'],
  mismatch: ['not begun: something does not match what was saved before', 'error'],
  locked: ['not begun: another run is at work', 'error'],
  sighup: ['interrupted', 'warn'],
  sigint: ['interrupted', 'warn'],
  sigterm: ['interrupted', 'warn'],
}

/** The name of an exit code, as a word that a script can test. */
function outcomeOf(code: ExitCode): ExitName {
  const names = Object.keys(EXITS) as ExitName[]
  return names.find((name) => EXITS[name].code === code) ?? 'bug'
}

/** The last line of a run: its result. `more`: further members. */
export function resultEntry(ending: Ending, more: Readonly<Record<string, unknown>>): Entry {
  const { command, code, seconds, counts, finished } = ending
  const outcome = outcomeOf(code)
  const [words, level, meaning] = ENDS[outcome]
  const special = howOf(ending, outcome)
  const [how, why] = special === undefined ? [words, meaning] : [special]
  const said = countWords(counts)
  const what = said === '' ? how : `${how}: ${said},`
  return {
    event: 'result',
    level,
    label: command,
    message: `${what}${how.startsWith('not begun') ? '' : ` ${how.startsWith('done') ? 'in' : 'after'} ${span(seconds * 1000)}`}${why ? `: ${why}` : ''} (exit code ${code})`,
    members: { exit_code: code, outcome, finished, seconds: Number(seconds.toFixed(3)), counts, ...more },
  }
}

/** What the exit code alone does not tell. */
function howOf({ counts, finished, isStopped }: Ending, outcome: ExitName): string | undefined {
  if (outcome === 'done' && finished === false) return 'stopped as asked'
  // What was counted had begun.
  if (outcome === 'usage' && countWords(counts) !== '') return 'stopped'
  if (outcome !== 'rejects') return undefined
  if (isStopped || finished === false) return 'stopped by what was found'
  return counts?.written !== undefined && (counts.rejected ?? 0) > 0 ? 'done, with rejects' : undefined
}

function countWords(counts: FateCounts | null): string {
  // Findings are counted too, which are no events.
  if (counts?.written === undefined) return ''
  const { written, rejected = 0, pending = 0 } = counts
  const said = [`${number(written)} written`, `${number(rejected)} rejected`]
  return [...said, ...(pending > 0 ? [`${number(pending)} pending`] : [])].join(', ')
}
