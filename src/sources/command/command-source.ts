import { createHash } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { PosthaulError } from '../../errors.ts'
import type { Clock } from '../../http/clock.ts'
import { RateLimiter } from '../../http/rate-limiter.ts'
import { retrying } from '../../http/retry.ts'
import { RowTally } from '../../inputs/csv-rows.ts'
import type { Env } from '../../options/row.ts'
import { fileError } from '../../store/file-error.ts'
import { shellWord } from '../../text/shell-word.ts'
import { KIB, MIB, MS_PER_HOUR } from '../../text/units.ts'
import { plural } from '../../text/words.ts'
import { LineTally } from '../line-tally.ts'
import type { ExportOrder, ExportPiece, Memory, PartForm, PieceCall, Source, VendorCall } from '../source.ts'
import { cutShort, VendorError } from '../vendor-client.ts'
import type { Window } from '../window.ts'
import { outputOf, redactorFor } from './shell.ts'
import { endsWriter, filled } from './window-words.ts'

/** What `--run` prints. */
export type CommandForm = 'ndjson' | 'csv' | 'tsv'

export interface CommandOptions {
  readonly run: string
  readonly count: string | undefined
  /** The text of `--file`. */
  readonly query: string | undefined
  readonly form: CommandForm
  readonly windows: readonly Window[]
  readonly windowMs: number
  readonly windowFormat: string | undefined
  /** How long after its end a window gets records, in milliseconds. */
  readonly overlapMs: number
  /** Whether windows are counted again that have been final for long. */
  readonly recountsAll: boolean
  readonly env: Env
  readonly clock: Clock
}

/** The last line of NDJSON is held to be looked at, where it has no line end. */
const LAST_LINE_BYTES = MIB

const FORMS: Readonly<Record<CommandForm, PartForm>> = {
  ndjson: { suffix: '.ndjson.gz', tally: () => new LineTally(LAST_LINE_BYTES) },
  csv: { suffix: '.csv.gz', tally: () => new RowTally(',') },
  tsv: { suffix: '.tsv.gz', tally: () => new RowTally('\t') },
}

/** After so many readings in a row that the count does not agree with, it is not the records that came late. */
const MOST_READINGS = 3
/** No count takes more. */
const MOST_COUNT_BYTES = 64 * KIB

/** An export by a command of the user's: a window at a time. */
export function commandOrder(options: CommandOptions): ExportOrder {
  const { run, query, form, windowMs, windowFormat = '' } = options
  return {
    preset: undefined,
    identity: {
      ...{
        vendor: 'command',
        run_sha256: fingerprint(run),
        file_sha256: query === undefined ? '' : fingerprint(query),
      },
      ...{ as: form, window: `${windowMs / MS_PER_HOUR}h`, window_format: windowFormat },
    },
    open: (memory) => open(options, memory),
  }
}

/** The command itself may have a password in it. */
function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function open(options: CommandOptions, memory: Memory): Source {
  const { windows, count, overlapMs, recountsAll, form, clock } = options
  const named = new Map(windows.map((window) => [window.name, window]))
  return {
    pieces: windows.map((window) => pieceOf(window, options, memory)),
    limiter: new RateLimiter({ limits: [], clock }),
    form: FORMS[form],
    whenShort: { text: 'run the same command again when they change no more', options: {} },
    // What can't be counted is read again.
    renews: count === undefined && overlapMs > 0,
    ...(count !== undefined && {
      recount: {
        by: '--count',
        async count(piece, call, askedAt) {
          const window = named.get(piece)
          if (!window || (askedAt >= window.end + overlapMs && !recountsAll)) return undefined
          const { records, checksum } = await retrying(
            () => counted({ ...options, count }, window, call),
            call.retry,
          )
          return { records, isSame: checksum === memory.checksum(piece) }
        },
      },
    }),
    close: async () => undefined,
  }
}

function pieceOf(window: Window, options: CommandOptions, memory: Memory): ExportPiece {
  let others = 0
  return {
    name: window.name,
    asks: filled(options.run, endsWriter(options.windowFormat)(window)),
    finalAt: window.end + options.overlapMs,
    async *fetch(call) {
      const { count } = options
      // Before the reading: what changes after this is seen by the count at the end.
      const wanted = count === undefined ? undefined : await counted({ ...options, count }, window, call)
      yield* ran(options.run, options, window, call)
      const { tally } = call
      if (!tally.isWhole) throw cutShort(`the command ended with 0, and its last line has no end`)
      const records = tally.lines + (tally.open ? 1 : 0)
      if (wanted !== undefined && wanted.records !== records) {
        others++
        throw otherCount(wanted.records, records, others)
      }
      others = 0
      memory.keepChecksum(window.name, wanted?.checksum)
    },
  }
}

function otherCount(wanted: number, records: number, readings: number): VendorError {
  const text = `--count says ${plural(wanted, 'record')}, and --run gave ${records}`
  if (readings < MOST_READINGS) return cutShort(text)
  return new VendorError(`${text}, ${readings} times`, {
    ...{ code: 'unavailable', fate: 'reject' },
    hint: 'both must ask for the same records: from {from} on, and before {to}',
  })
}

/** Runs a command for a window. */
export async function* ran(
  command: string,
  { query, windowFormat, env }: Pick<CommandOptions, 'query' | 'windowFormat' | 'env'>,
  window: Window,
  call: Pick<VendorCall, 'signal' | 'scratch'>,
): AsyncGenerator<Buffer> {
  const ends = endsWriter(windowFormat)(window)
  const variables = { ...env, POSTHAUL_FROM: ends.from, POSTHAUL_TO: ends.to }
  const run = (words: Parameters<typeof filled>[1]) =>
    outputOf(filled(command, words), { env: variables, signal: call.signal })
  if (query === undefined) return yield* run(ends)
  const path = resolve(call.scratch(window.name))
  try {
    await writeFile(path, filled(query, ends), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw fileError(error, 'write', path)
  }
  try {
    yield* run({ ...ends, file: shellWord(path) })
  } finally {
    await rm(path, { force: true })
  }
}

interface Counted {
  readonly records: number
  readonly checksum: string | undefined
}

/** What `--count` says of a window: `123`, or `123 checksum`, divided as a database's client does. */
async function counted(
  options: CommandOptions & { readonly count: string },
  window: Window,
  call: Pick<PieceCall, 'signal' | 'scratch'>,
): Promise<Counted> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of ran(options.count, options, window, call)) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > MOST_COUNT_BYTES) break
  }
  const text = Buffer.concat(chunks).toString('utf8').trim()
  const [, digits, checksum] = /^(\d{1,15})(?:[\s|,;]+(\S.*))?$/s.exec(text) ?? []
  if (digits !== undefined) return { records: Number(digits), checksum }
  const said = redactorFor(options.env).text(text).slice(0, 200)
  throw new PosthaulError(`--count printed ${text === '' ? 'nothing' : JSON.stringify(said)}`, {
    code: 'config',
    hint: 'it prints a whole number, and after it a checksum if it has one',
  })
}
