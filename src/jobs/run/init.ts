import { writeFile } from 'node:fs/promises'
import { createInterface, type Interface } from 'node:readline'
import { EXIT, type ExitCode, PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import {
  HOST,
  IN,
  INIT_DAYS,
  INIT_SOURCE,
  INIT_STORE,
  PRESET,
  parseOrigin,
  REGION,
  type Row,
  readText,
  type Values,
} from '../../options/index.ts'
import { PRESET_NAMES } from '../../presets/index.ts'
import { VENDORS } from '../../sources/index.ts'
import { errnoOf, fileError } from '../../store/index.ts'
import { continueCommand } from '../../text/index.ts'
import { type Answers, firstFile } from './first-file.ts'

/** The vendors that are exported from, or files. */
const SOURCE = { ...INIT_SOURCE, choices: [...VENDORS.map(({ name }) => name), 'files'] } as const

/** The options that answer what a new migration file needs to know. */
export const RUN_INIT_ROWS = [
  SOURCE,
  INIT_DAYS,
  { ...IN, bare: false, help: 'with --init --source files: the files, folders or globs' },
  { ...PRESET, choices: PRESET_NAMES, help: 'with --init --source files: the preset that reads them' },
  INIT_STORE,
  { ...REGION, help: "with --init: region of PostHog's cloud" },
  { ...HOST, help: 'with --init: address of your own installation' },
] as const

type InitValues = Values<typeof RUN_INIT_ROWS>

/** Writes a commented migration file from options, and on a terminal from answers. Never over a file. */
export async function initMigration(file: string, values: InitValues, io: Io): Promise<ExitCode> {
  const text = firstFile(await answersOf(values, io))
  try {
    await writeFile(file, text, { flag: 'wx' })
  } catch (cause) {
    if (errnoOf(cause) !== 'EEXIST') throw fileError(cause, 'write', file)
    throw new PosthaulError(`${file} is there already, and was left as it is`, {
      code: 'usage',
      hint: 'name another file, or delete this one',
      cause,
    })
  }
  io.stderr.write(`run: wrote ${file}; look at it, then see what would be done:\n`)
  io.stderr.write(`  next: ${continueCommand(['run', file, '--dry-run'])}\n`)
  return EXIT.done
}

async function answersOf(values: InitValues, io: Io): Promise<Answers> {
  const asker = new Asker(io)
  try {
    const source = await asker.ask(SOURCE, values.source, 'Where does the history come from?')
    const from =
      source === 'files'
        ? {
            kind: 'files' as const,
            files:
              values.in.length > 0
                ? values.in
                : pathsIn(await asker.ask(IN, undefined, 'Which files, folders or globs?')),
            preset: await asker.ask(
              { ...PRESET, choices: PRESET_NAMES },
              values.preset,
              'Which preset reads them?',
            ),
          }
        : await vendorOf(
            source,
            await asker.ask(
              INIT_DAYS,
              values.days,
              'Which days? From, two dots, the first day left out; no end to go on daily',
            ),
          )
    const store = await asker.ask(INIT_STORE, values.store, 'Where are records, events and state kept?')
    if (values.host !== undefined) return { source: from, store, target: { host: values.host } }
    const where = await asker.ask(
      REGION,
      values.region,
      'Which region of PostHog (us, eu), or which address?',
      anyTarget,
    )
    const isRegion = where === 'us' || where === 'eu'
    return {
      source: from,
      store,
      target: isRegion ? { region: where } : { host: parseOrigin(where, 'the address') },
    }
  } finally {
    asker.close()
  }
}

function vendorOf(vendor: string, days: string): Answers['source'] {
  const [from = '', to] = days.split('..')
  return { kind: 'vendor', vendor, from, to: to || undefined }
}

/** Paths as a shell takes them: between spaces, or in quotes. */
function pathsIn(answer: string): string[] {
  return [...answer.matchAll(/"([^"]+)"|'([^']+)'|\S+/g)].map(([plain, one, other]) => one ?? other ?? plain)
}

function anyTarget(text: string): void {
  if (text === 'us' || text === 'eu') return
  if (!/[.:]|^localhost$/.test(text))
    throw new PosthaulError(`${JSON.stringify(text)} is no region: expected us, eu or an address`, {
      code: 'usage',
    })
  parseOrigin(text, 'the address')
}

/** Asks on a terminal what no option says. */
class Asker {
  readonly #io: Io
  #lines: Interface | undefined
  #answers: AsyncIterator<string, undefined> | undefined

  constructor(io: Io) {
    this.#io = io
  }

  /** The answer that was given, or is given now. `check` throws for one that is not possible. Default: as the row says. */
  async ask(
    row: Row,
    given: string | undefined,
    question: string,
    check?: (text: string) => void,
  ): Promise<string> {
    if (given !== undefined) return given
    const { stdin, stderr } = this.#io
    if (!stdin.isTTY || !stderr.isTTY) {
      throw new PosthaulError(`--init needs to know more: ${row.flag} is missing`, {
        code: 'usage',
        hint: `add ${row.flag}, or run it on a terminal, where it asks`,
      })
    }
    const choices = row.choices && check === undefined ? ` (${row.choices.join(', ')})` : ''
    for (;;) {
      stderr.write(`${question}${choices}\n> `)
      const answer = await this.#answer()
      try {
        if (check) check(answer)
        else readText(row, answer, 'your answer')
        return answer
      } catch (error) {
        if (!(error instanceof PosthaulError)) throw error
        stderr.write(`  ${error.message}\n`)
      }
    }
  }

  /** The next line. Answers that were typed ahead, or pasted, wait for their questions. */
  async #answer(): Promise<string> {
    const { stdin, interrupted } = this.#io
    if (!this.#lines) {
      const lines = createInterface({ input: stdin, signal: interrupted })
      this.#lines = lines
      this.#answers = lines[Symbol.asyncIterator]()
    }
    const { done, value } = await this.#answers!.next()
    if (!done) return value.trim()
    if (interrupted.aborted)
      throw new PosthaulError('interrupted; nothing was written', { code: 'interrupted' })
    throw new PosthaulError('the answers ended before all was known; nothing was written', { code: 'usage' })
  }

  close(): void {
    this.#lines?.close()
  }
}
