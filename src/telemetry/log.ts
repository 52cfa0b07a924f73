import { folded } from '../text/fold.ts'
import { painted, paintedLabel } from '../text/paint.ts'
import { plainJson, visible } from '../text/visible.ts'
import { type Entry, LEVELS, type Level } from './entry.ts'

/** Standard error, or what stands for it. */
export interface Screen {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number | undefined
}

export interface LogSettings {
  readonly format: LogFormat
  /** Lines that matter less are not written. A run's result always is. */
  readonly least: Level
}

/** The one place that all lines of standard error go through. */
export class Log {
  readonly screen: Screen
  readonly #colours: boolean
  /** A bar is on the terminal: a line takes its place, and it is drawn again below. */
  hasBar = false
  #settings: LogSettings

  /** `colours`: lines for a person have them. */
  constructor(screen: Screen, format: LogFormat, colours: boolean) {
    this.screen = screen
    this.#colours = colours
    this.#settings = { format, least: 'info' }
  }

  /** Lines are for a person at a terminal. */
  get isTerminal(): boolean {
    return this.#settings.format === 'auto' && this.screen.isTTY === true
  }

  /** A bar may be drawn. */
  get showsBar(): boolean {
    return this.isTerminal && this.shows('info')
  }

  shows(level: Level): boolean {
    return LEVELS.indexOf(level) <= LEVELS.indexOf(this.#settings.least)
  }

  /** Takes the settings; again if more is known. */
  open(settings: LogSettings): void {
    this.#settings = settings
  }

  tell(entry: Entry): void {
    if (!this.shows(entry.level) && entry.event !== 'result') return
    const at = new Date()
    const { format } = this.#settings
    if (!this.isTerminal) {
      const text = TEXTS[format](entry, at)
      this.screen.write(format === 'auto' ? this.#shown(text, entry) : text)
      return
    }
    // The bar shows how it goes, and the summary how it went.
    const isShownElsewhere = entry.event === 'progress' || (entry.event === 'result' && this.shows('info'))
    if (isShownElsewhere) return
    this.screen.write(`${this.hasBar ? '\r\x1b[K' : ''}${this.#shown(terminalText(entry), entry)}`)
  }

  #shown(text: string, { level, label, block }: Entry): string {
    if (!this.#colours) return text
    return level === 'warn' && block === undefined ? paintedLabel(text, label) : painted(text)
  }
}

/** The version of the JSON lines' shape, which docs/unattended.md has. Members are added, never renamed. */
const LINES_VERSION = 1

/** How lines are written. `auto`: for a person, on a terminal or in the mail of a cron job; `plain`: for a program that has its own log. */
export type LogFormat = 'auto' | 'plain' | 'text' | 'json'

/** As a terminal shows it: folded, without a time. */
function terminalText({ block, label, message }: Entry): string {
  return block ?? folded(visible(message), '  ', `${label}: `)
}

/** As a collector of logs takes it: each line has its time and level. */
function textLines({ block, label, level, message }: Entry, at: Date): string {
  const prefix = `${isoSeconds(at)} ${level.toUpperCase()}`
  const lines = block?.split('\n').filter((line) => line.trim() !== '') ?? [`${label}: ${visible(message)}`]
  return lines.map((line) => `${prefix} ${line}\n`).join('')
}

/** As one JSON object. */
function jsonText({ event, label, level, message, members }: Entry, at: Date): string {
  const line = {
    version: LINES_VERSION,
    time: isoSeconds(at),
    level,
    event,
    command: label,
    message,
    ...members,
  }
  return `${plainJson(JSON.stringify(line))}\n`
}

function isoSeconds(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z')
}

/** How an entry is written where there is no terminal. */
const TEXTS: Readonly<Record<LogFormat, (entry: Entry, at: Date) => string>> = {
  // As a file or a mail has it: what happens during a run is a line with its time and level; what ends a run, such as a
  // summary or an error, is as a terminal shows it, so that it can be read and its commands copied.
  auto: (entry, at) => entry.block ?? textLines(entry, at),
  // Without a time, each entry at once.
  plain: ({ block, label, message }) => block ?? `${label}: ${visible(message)}\n`,
  text: textLines,
  json: jsonText,
}
