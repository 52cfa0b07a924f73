import { writeSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { fileError } from '../store/file-error.ts'
import { openOwn } from '../store/own-file.ts'
import { painted, paintedLabel } from '../text/paint.ts'
import { type Entry, LEVELS, type Level } from './entry.ts'
import { jsonText, type LogFormat, mailText, plainEntry, terminalText, textLines } from './rendering.ts'

/** A file that lines are appended to. It fails once, and then takes no more. */
class LogFile {
  readonly #file: FileHandle
  #failed = false

  private constructor(file: FileHandle) {
    this.#file = file
  }

  static async open(path: string): Promise<LogFile> {
    return new LogFile(await openOwn(path, 'append'))
  }

  /** Appends whole lines at once, so that a kill cuts none and runs that share the file don't mix. Throws the first time it can't. */
  write(lines: string): void {
    if (this.#failed) return
    try {
      writeSync(this.#file.fd, lines)
    } catch (error) {
      this.#failed = true
      throw error
    }
  }

  async close(): Promise<void> {
    this.#failed = true
    await this.#file.close().catch(() => undefined)
  }
}

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
  readonly file: string | undefined
}

/** The one place that all lines of standard error go through. */
export class Log {
  readonly screen: Screen
  readonly #colours: boolean
  /** A bar is on the terminal: a line takes its place, and it is drawn again below. */
  hasBar = false
  #settings: LogSettings
  #file: LogFile | undefined

  /** `colours`: lines for a person have them. */
  constructor(screen: Screen, format: LogFormat, colours: boolean) {
    this.screen = screen
    this.#colours = colours
    this.#settings = { format, least: 'info', file: undefined }
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

  /** Takes the settings; again if more is known. A file that cannot be opened is a warning, and is not tried again. */
  async open(settings: LogSettings): Promise<void> {
    const { file: before } = this.#settings
    this.#settings = settings
    if (settings.file === undefined || settings.file === before) return
    try {
      this.#file = await LogFile.open(settings.file)
    } catch (error) {
      this.#fileFailed(error)
    }
  }

  tell(entry: Entry): void {
    if (!this.shows(entry.level) && entry.event !== 'result') return
    const at = new Date()
    this.#show(entry, at)
    if (!this.#file) return
    try {
      this.#file.write(this.#settings.format === 'json' ? jsonText(entry, at) : textLines(entry, at))
    } catch (error) {
      this.#fileFailed(error)
    }
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }

  #show(entry: Entry, at: Date): void {
    const { format } = this.#settings
    if (!this.isTerminal) {
      const write = { auto: mailText, plain: plainEntry, text: textLines, json: jsonText }[format]
      const text = write(entry, at)
      this.screen.write(format === 'auto' ? this.#shown(text, entry) : text)
      return
    }
    // The bar shows how it goes, and the summary how it went.
    const isShownElsewhere =
      (entry.event === 'progress' && !entry.block) || (entry.event === 'result' && this.shows('info'))
    if (isShownElsewhere) return
    this.screen.write(`${this.hasBar ? '\r\x1b[K' : ''}${this.#shown(terminalText(entry), entry)}`)
  }

  #shown(text: string, { level, label, block }: Entry): string {
    if (!this.#colours) return text
    return level === 'warn' && block === undefined ? paintedLabel(text, label) : painted(text)
  }

  #fileFailed(error: unknown): void {
    const told = fileError(error, 'write', this.#settings.file!)
    const message = `the log file is not written: ${told instanceof Error ? told.message : String(told)}`
    this.tell({ event: 'note', level: 'warn', label: 'posthaul', message })
  }
}
