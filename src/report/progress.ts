import { SingleBar } from 'cli-progress'
import { type Advance, Eta } from './eta.ts'
import { folded } from './fold.ts'
import { visible } from './visible.ts'
import { bytes, number, plural, span } from './words.ts'

export interface ProgressOptions {
  readonly stderr: NodeJS.WriteStream
  /** What is being done: `import`. */
  readonly label: string
  readonly look: () => Advance
  /** The most events a second, when there is a cap. */
  readonly perSecond?: number
  /** The words beside the bar, for work that counts something other than bytes. */
  readonly describe?: (eta: Eta) => string
}

/** The progress that a running command shows. */
export interface Progress {
  /** Prints a line that stays on the screen. */
  note(text: string): void
  /** Says that something failed and will be tried again; prints at most one line every 5 s. */
  retrying(reason: string, waitMs: number): void
  stop(): void
}

const BAR_EVERY_MS = 250
const LINE_EVERY_MS = 30_000
const RETRY_EVERY_MS = 5_000

/** Shows progress on standard error: a bar on a terminal, else a line every 30 s. */
export function startProgress({ stderr, label, look, ...more }: ProgressOptions): Progress {
  const eta = new Eta(more.perSecond)
  const sample = (): { at: Advance; words: string } => {
    const at = look()
    eta.sample(performance.now(), at)
    return { at, words: more.describe?.(eta) ?? describe(at, eta) }
  }
  const first = sample()
  const bar = stderr.isTTY === true ? startBar(stderr, label, first.at, first.words) : undefined
  const show = () => {
    const { at, words } = sample()
    if (bar) bar.update(at.doneBytes, { words })
    else {
      const of = more.describe ? '' : ` of ${bytes(at.totalBytes)}`
      stderr.write(`${label}: ${percent(at)}%${of}, ${words}\n`)
    }
  }
  const timer = setInterval(show, bar ? BAR_EVERY_MS : LINE_EVERY_MS)
  // The timer must not keep the process alive.
  timer.unref()
  let toldAt = Number.NEGATIVE_INFINITY
  // On a terminal the line replaces the bar, and the bar is drawn again below it.
  const note = (text: string) =>
    void stderr.write(`${bar ? '\r\x1b[K' : ''}${folded(visible(text), '  ', `${label}: `)}`)
  return {
    note,
    retrying(reason, waitMs) {
      if (performance.now() - toldAt < RETRY_EVERY_MS) return
      toldAt = performance.now()
      note(`${reason}; trying again in ${span(waitMs)}`)
    },
    stop() {
      clearInterval(timer)
      if (!bar) return
      show()
      bar.stop()
    },
  }
}

/** Progress of work in stages that counts only bytes. */
export function progressFor(stderr: NodeJS.WriteStream): {
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
      progress = startProgress({ stderr, label: name, look: () => ({ doneBytes, totalBytes }) })
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

function startBar(stderr: NodeJS.WriteStream, label: string, at: Advance, words: string): SingleBar {
  const bar = new SingleBar({
    stream: stderr,
    format: `${label} {bar} {percentage}% {words}`,
    barsize: 16,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    // The command handles signals itself: it saves its state before it exits.
    gracefulExit: false,
    fps: 4,
  })
  bar.start(at.totalBytes, at.doneBytes, { words })
  return bar
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
