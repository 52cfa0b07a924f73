import { painted, paintedLabel } from '../text/paint.ts'
import { type Entry, LEVELS, type Level } from './entry.ts'
import { jsonText, type LogFormat, mailText, plainEntry, terminalText, textLines } from './rendering.ts'

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
      const write = { auto: mailText, plain: plainEntry, text: textLines, json: jsonText }[format]
      const text = write(entry, at)
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
