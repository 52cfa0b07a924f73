import { createRequire } from 'node:module'
import type * as cliProgress from 'cli-progress'
import { COLUMNS } from '../text/fold.ts'
import { cutTo } from '../text/visible.ts'
import { bytes, number, plural, span } from '../text/words.ts'
import type { Entry, Level, MeterReading } from './entry.ts'
import { type Advance, Eta } from './eta.ts'
import type { Screen } from './log.ts'
import type { Telemetry } from './telemetry.ts'

interface ProgressOptions {
  readonly telemetry: Telemetry
  /** What is being done: `import`. */
  readonly label: string
  readonly look: () => Advance
  /** What `look` counts, if not bytes. */
  readonly unit?: MeterReading['unit']
  /** The most events a second, when there is a cap. */
  readonly perSecond?: number
  /** The words beside the bar, for work that counts something other than bytes. */
  readonly describe?: (eta: Eta) => string
}

/** The progress that a running command shows. */
export interface Progress {
  /** Prints a line that stays on the screen. */
  note(text: string, level?: Level): void
  /** Says that something failed and will be tried again; prints at most one line every 5 s, or all if it is verbose. `cause`: a status, or the kind of a network's failure. */
  retrying(reason: string, waitMs: number, cause: string): void
  /** Some requests wait so long because of the cap of their distinct_id. */
  holding(waitMs: number): void
  stop(): void
}

const BAR_EVERY_MS = 250
const LINE_EVERY_MS = 30_000
const RETRY_EVERY_MS = 5_000

/** Shows progress on standard error: a bar on a terminal, else a line every 30 s. */
export function startProgress(options: ProgressOptions): Progress {
  const { telemetry, label, look } = options
  const { log } = telemetry
  const eta = new Eta(options.perSecond)
  let heldUntil = Number.NEGATIVE_INFINITY
  const sample = (): { at: Advance; words: string } => {
    const at = look()
    eta.sample(performance.now(), at)
    const held = performance.now() < heldUntil ? ', waiting for the cap of a busy distinct_id' : ''
    return { at, words: (options.describe?.(eta) ?? describe(at, eta)) + held }
  }
  const first = sample()
  const read = () => reading(sample().at, options)
  const entry = (): Entry => {
    const { at, words } = sample()
    const of = options.describe ? '' : ` of ${bytes(at.totalBytes)}`
    const members = { ...reading(at, options), ...paceMembers(at, eta, options), ...telemetry.waits }
    return { event: 'progress', level: 'info', label, message: `${percent(at)}%${of}, ${words}`, members }
  }
  const bar = log.showsBar ? startBar(log.screen, label, first.at, first.words) : undefined
  log.hasBar = bar !== undefined
  const draw = () => {
    const { at, words } = sample()
    bar?.setTotal(at.totalBytes)
    bar?.update(at.doneBytes, { words })
  }
  const ended = telemetry.book.begin(label, read)
  const timers = [setInterval(() => telemetry.tell(entry()), LINE_EVERY_MS)]
  if (bar) timers.push(setInterval(draw, BAR_EVERY_MS))
  // The timers must not keep the process alive.
  for (const timer of timers) timer.unref()
  let toldAt = Number.NEGATIVE_INFINITY
  return {
    note: (text, level) => telemetry.note(label, text, level),
    retrying(reason, waitMs, cause) {
      telemetry.retried(cause, waitMs)
      const isOften = performance.now() - toldAt < RETRY_EVERY_MS
      if (isOften && !log.shows('verbose')) return
      if (!isOften) toldAt = performance.now()
      const message = `${reason}; trying again in ${span(waitMs)}`
      const members = { cause, wait_seconds: Math.round(waitMs) / 1000, ...telemetry.waits }
      telemetry.tell({ event: 'retry', level: isOften ? 'verbose' : 'warn', label, message, members })
    },
    holding(waitMs) {
      heldUntil = performance.now() + waitMs
    },
    stop() {
      for (const timer of timers) clearInterval(timer)
      ended()
      if (!bar) return
      bar.stop()
      log.hasBar = false
      // The summary says how it went. The bar has left its line by a line feed.
      log.screen.write('\x1b[1A\r\x1b[K')
    },
  }
}

function reading(at: Advance, { unit = 'bytes' }: ProgressOptions): MeterReading {
  return { done: at.doneBytes, total: at.totalBytes, unit, counts: at.counts ?? {} }
}

/** What a line of JSON says of the pace of a piece of work. */
function paceMembers(at: Advance, eta: Eta, { unit = 'bytes' }: ProgressOptions) {
  const { events, bytes } = eta.speed
  const left = at.doneBytes < at.totalBytes ? eta.left(at) : 0
  return {
    rate: { events_per_second: rounded(events), bytes_per_second: rounded(unit === 'bytes' ? bytes : 0) },
    seconds_left: left === undefined ? null : Math.ceil(left / 1000),
  }
}

function rounded(value: number): number {
  return Number(value.toFixed(1))
}

/** Progress of work in stages that counts only bytes. */
export function progressFor(telemetry: Telemetry): {
  start(name: string, total: number): void
  add(bytes: number): void
  stop(): void
} {
  let progress: Progress | undefined
  let doneBytes = 0
  return {
    start(name, totalBytes) {
      progress?.stop()
      doneBytes = 0
      progress = startProgress({ telemetry, label: name, look: () => ({ doneBytes, totalBytes }) })
    },
    add(bytes) {
      doneBytes += bytes
    },
    stop() {
      progress?.stop()
      progress = undefined
    },
  }
}

function startBar(screen: Screen, label: string, at: Advance, words: string): cliProgress.SingleBar {
  // Loaded where there is a terminal to draw on, which most runs don't have.
  const { SingleBar } = createRequire(import.meta.url)('cli-progress') as typeof cliProgress
  const bar = new SingleBar({
    stream: keepingPlace(screen),
    format: (_, { progress }, payload: { readonly words: string }) =>
      barLine(label, progress, payload.words, screen.columns ?? COLUMNS),
    hideCursor: true,
    // The command handles signals itself: it saves its state before it exits.
    gracefulExit: false,
    fps: 4,
  })
  bar.start(at.totalBytes, at.doneBytes, { words })
  return bar
}

const CELLS = 16

/** The line of a bar. On a terminal of few columns, the words take the place of the bar itself, and are cut. */
export function barLine(label: string, share: number, words: string, columns: number): string {
  const full = Math.round(share * CELLS)
  const bar = columns < COLUMNS ? [] : ['█'.repeat(full) + '░'.repeat(CELLS - full)]
  const line = [label, ...bar, `${Math.floor(share * 100)}%`, words].join(' ')
  // A terminal may wrap a line that ends in its last column.
  return cutTo(line, Math.max(1, columns - 1))
}

/**
 * The screen without the command that takes the cursor back to where the bar began: notes have moved the bar since then,
 * and the summary would be written over them.
 */
function keepingPlace(screen: Screen): NodeJS.WriteStream {
  const write = (text: string) => (text === '\x1b8' ? true : screen.write(text))
  return Object.create(screen, { write: { value: write } }) as NodeJS.WriteStream
}

function describe(at: Advance, eta: Eta): string {
  const { speed } = eta
  const done = at.events === undefined ? bytes(at.doneBytes) : plural(at.events, 'event')
  const pace = at.events === undefined ? `${bytes(speed.bytes)}/s` : `${number(speed.events)}/s`
  const left = at.doneBytes < at.totalBytes ? eta.left(at) : undefined
  return `${done}, ${pace}${left === undefined ? '' : `, ${span(left)} left`}`
}

function percent({ doneBytes, totalBytes }: Advance): number {
  return totalBytes === 0 ? 100 : Math.floor((100 * doneBytes) / totalBytes)
}
