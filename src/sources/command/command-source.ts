import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertGoing, PosthaulError } from '../../errors.ts'
import type { Clock } from '../../http/clock.ts'
import { RateLimiter } from '../../http/rate-limiter.ts'
import { type Redactor, redactorOf } from '../../http/redact.ts'
import { retrying } from '../../http/retry.ts'
import { Secret } from '../../http/secret.ts'
import { RowTally } from '../../inputs/csv-rows.ts'
import type { Env } from '../../options/row.ts'
import { MAX_LINE_BYTES } from '../../record/lines.ts'
import { compileTimeFormat, timeWriter } from '../../record/time-format.ts'
import { fileError } from '../../store/file-error.ts'
import { shellWord } from '../../text/shell-word.ts'
import { KIB, MICROS_PER_MS, MS_PER_HOUR, MS_PER_MINUTE } from '../../text/units.ts'
import { plural } from '../../text/words.ts'
import { LineTally } from '../line-tally.ts'
import type { ExportOrder, ExportPiece, Memory, PartForm, PieceCall, Source, VendorCall } from '../source.ts'
import { cutShort, VendorError } from '../vendor-client.ts'
import type { Window, WindowSpan } from '../window.ts'

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

const FORMS: Readonly<Record<CommandForm, PartForm>> = {
  ndjson: { suffix: '.ndjson.gz', tally: () => new LineTally(MAX_LINE_BYTES) },
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
    whenShort: { text: 'run the same command again once they stop changing', options: {} },
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
      if (!tally.isWhole) throw cutShort(`the command ended with 0, but its last line is cut off`)
      const records = tally.lines + (tally.open ? 1 : 0)
      if (wanted !== undefined && wanted.records !== records) {
        const text = `--count says ${plural(wanted.records, 'record')}, and --run gave ${records}`
        if (++others < MOST_READINGS) throw cutShort(text)
        const details = { code: 'unavailable', fate: 'reject', hint: OTHER_COUNT } as const
        throw new VendorError(`${text}, ${others} times`, details)
      }
      others = 0
      memory.keepChecksum(window.name, wanted?.checksum)
    },
  }
}

const OTHER_COUNT = 'both must ask for the same records: from {from} on, and before {to}'

export async function* ran(
  command: string,
  { query, windowFormat, env }: Pick<CommandOptions, 'query' | 'windowFormat' | 'env'>,
  window: Window,
  call: Pick<VendorCall, 'signal' | 'scratch'>,
): AsyncGenerator<Buffer> {
  const ends = endsWriter(windowFormat)(window)
  const variables = { ...env, POSTHAUL_FROM: ends.from, POSTHAUL_TO: ends.to }
  const run = (words: Parameters<typeof filled>[1]) =>
    outputOf(filled(command, words), variables, call.signal)
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

const GROUPED = /^\d{1,3}(?:[, ]\d{3})+$/

/** What `--count` says of a window: `123`, or `123 checksum`, divided as a database's client does. */
async function counted(
  options: CommandOptions & { readonly count: string },
  window: Window,
  call: Pick<PieceCall, 'signal' | 'scratch'>,
) {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of ran(options.count, options, window, call)) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > MOST_COUNT_BYTES) break
  }
  const text = Buffer.concat(chunks).toString('utf8').trim()
  // A checksum of no rows may be nothing. `1,000` is one number, most likely.
  const [, digits, checksum] = /^(\d{1,15})(?:[ \t|,;]+(\S.*)?)?$/.exec(text) ?? []
  if (digits !== undefined && !GROUPED.test(text)) return { records: Number(digits), checksum }
  const said = redactorFor(options.env).text(text).slice(0, 200)
  throw new PosthaulError(`--count printed ${text === '' ? 'nothing' : JSON.stringify(said)}`, {
    code: 'config',
    hint: 'it prints a whole number, and after it a checksum if it has one',
  })
}

interface WindowEnds {
  readonly from: string
  readonly to: string
}

/** Writes the ends of windows: `2023-01-01T00:00:00Z`, or by a pattern as of `time_format`. */
function endsWriter(format: string | undefined): (span: WindowSpan) => WindowEnds {
  const pattern = format === undefined ? undefined : timeWriter(format)
  const write = (instant: number) =>
    pattern?.(instant * MICROS_PER_MS) ?? new Date(instant).toISOString().replace('.000Z', 'Z')
  return ({ start, end }) => ({ from: write(start), to: write(end) })
}

/** Refuses a pattern that can't tell the ends of these windows. Code `usage`. */
export function assertTells(format: string, windows: readonly Window[]): void {
  const [read, ends] = [compileTimeFormat(format), endsWriter(format)]
  for (const window of windows) {
    const { from, to } = ends(window)
    if (read(from, 'UTC') === window.start * MICROS_PER_MS && read(to, 'UTC') === window.end * MICROS_PER_MS)
      continue
    throw new PosthaulError(
      `--window-format ${format} writes the window ${window.name} as ${from} to ${to}`,
      { code: 'usage', hint: 'add what it leaves out, such as HH:mm, or ask for windows of whole days' },
    )
  }
}

/** Fills `{from}`, `{to}` and `{file}` in; other braces stay. */
function filled(text: string, words: WindowEnds & { readonly file?: string }): string {
  return text.replaceAll(/\{(from|to|file)\}/g, (whole, name: 'from' | 'to' | 'file') => words[name] ?? whole)
}

/**
 * The command's process group dies with posthaul, however that ends: the watcher waits for the end of a pipe that only
 * posthaul holds open, so that after a kill no command goes on beside the one that the next run starts.
 */
const WATCHED = `(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 &
exec 3<&-
exec "$@"`

/** Shells in which a pipe fails where any of its commands fails. Without that, the end of a broken pipe looks whole. */
const PIPE_SHELLS = /^(?:ba|z|k|mk|da|a)?sh$/
const PIPEFAIL = '(set -o pipefail) 2>/dev/null && set -o pipefail\n'

/** A command that was told to stop is killed when it hasn't ended by then. */
const GRACE_MS = 2000
/** After its end, what it said is waited for as long: a process that outlives it can hold standard error open. */
const LAST_WORDS_MS = 500
/** So long may such a process print nothing: what it holds open might never end. */
const HELD_MS = MS_PER_MINUTE
/** Kept of standard error: enough for the lines that are shown. */
const SAID_BYTES = 8 * KIB
const SAID_LINES = 5

/** The codes of a shell for a command that it can't run. The next try would end as this one. */
const UNRUNNABLE: Readonly<Record<number, string>> = {
  126: 'make the file executable, or name the program that runs it',
  127: 'check the name of the program and PATH, which is that of posthaul; a relative path begins where posthaul was started',
}

interface End {
  readonly code: number | null
  readonly killedBy: NodeJS.Signals | null
  readonly error?: Error
}

/**
 * What a command writes to standard output, as it comes. Throws an error with the fate `retry` at its end unless the command
 * ended with 0, and code `config` if the shell could not run it. Whoever stops reading ends the command, and all that it started.
 */
async function* outputOf(command: string, env: Env, signal: AbortSignal): AsyncGenerator<Buffer> {
  assertGoing(signal)
  const shell = env.SHELL || '/bin/sh'
  const text = PIPE_SHELLS.test(basename(shell)) ? PIPEFAIL + command : command
  const child = started(['-c', WATCHED, 'posthaul', shell, '-c', text], env)
  const stdout = child.stdout!
  const said = lastOf(child.stderr!)
  const ended = new Promise<End>((resolve) => {
    child.once('error', (error) => resolve({ code: null, killedBy: null, error }))
    child.once('exit', (code, killedBy) => resolve({ code, killedBy }))
  })
  child.stdio[3]!.on('error', () => undefined)
  const kill = (name: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name)
    } catch {
      // All of the group have ended.
    }
  }
  let late: NodeJS.Timeout | undefined
  let held: NodeJS.Timeout | undefined
  void ended.then(({ code }) => {
    if (code !== 0) kill('SIGKILL')
    // What was printed is still read.
    const giveUp = () => void (stdout.readableLength > 0 ? held?.refresh() : stdout.destroy())
    held = setTimeout(giveUp, code === 0 ? HELD_MS : LAST_WORDS_MS)
  })
  const stop = () => {
    kill('SIGTERM')
    late = setTimeout(() => kill('SIGKILL'), GRACE_MS)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    let isHeld = false
    try {
      for await (const chunk of stdout) {
        yield chunk as Buffer
        held?.refresh()
      }
    } catch {
      isHeld = true
    }
    const { code, killedBy, error } = await ended
    assertGoing(signal)
    if (isHeld && code === 0) {
      const said = 'the command has ended, and a process that it left behind holds its output open'
      const hint = 'let the command wait for it, or send its output elsewhere: >/dev/null 2>&1'
      throw new VendorError(said, { code: 'config', hint })
    }
    if (code === 0) return
    const words = redactorFor(env).text(await said())
    const how = error?.message ?? (killedBy ? `was killed by ${killedBy}` : `ended with exit code ${code}`)
    const message = `the command ${how}${words ? `: ${words}` : ', and said nothing on standard error'}`
    const hint = UNRUNNABLE[code ?? 0]
    throw hint === undefined ? cutShort(message) : new VendorError(message, { code: 'config', hint })
  } finally {
    signal.removeEventListener('abort', stop)
    clearTimeout(late)
    clearTimeout(held)
    kill('SIGKILL')
    await ended
    for (const stream of child.stdio) stream?.destroy()
  }
}

/** In a session of its own: no terminal asks for a password, and Ctrl-C reaches posthaul alone, which ends the command. */
function started(words: readonly string[], env: Env) {
  const options = { env: { ...env }, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] } as const
  try {
    return spawn('/bin/sh', words, { ...options, stdio: [...options.stdio] })
  } catch (cause) {
    throw new PosthaulError(`the command can't be started: ${(cause as Error).message}`, {
      code: 'config',
      hint: 'put a long command into a script',
      cause,
    })
  }
}

/** Keeps the last lines of a stream; they are given when it ends, or soon. */
function lastOf(stream: NodeJS.ReadableStream): () => Promise<string> {
  let kept = Buffer.alloc(0)
  let isCut = false
  stream.on('data', (chunk: Buffer) => {
    const all = Buffer.concat([kept, chunk])
    isCut ||= all.length > SAID_BYTES
    kept = all.subarray(-SAID_BYTES)
  })
  const closed = new Promise<void>((resolve) => stream.once('close', resolve))
  return async () => {
    await Promise.race([closed, sleep(LAST_WORDS_MS, undefined, { ref: false })])
    const lines = kept.toString('utf8').split(/[\r\n]+/)
    const whole = isCut && lines.length > 1 ? lines.slice(1) : lines
    return whole
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .slice(-SAID_LINES)
      .join(' / ')
  }
}

const SECRET_NAME = /pass|pwd|secret|token|credential|api_?key|_key$|private|auth|_dsn$/i
/** `postgres://reader:password@db`, and the same in `DSN="… password=…"`. */
const IN_VALUE = /:\/\/[^\s/@:]*:([^\s/@]+)@|\b(?:password|pwd)\s*=\s*'?([^\s;']+)/gi

/** Takes the secrets of an environment out of texts: by the names of variables, and passwords within addresses. */
function redactorFor(env: Env): Redactor {
  const secrets: Secret[] = []
  for (const [name, value = ''] of Object.entries(env)) {
    if (SECRET_NAME.test(name)) secrets.push(new Secret(value, name))
    for (const [, inAddress, inWords] of value.matchAll(IN_VALUE)) {
      const found = (inAddress ?? inWords)!
      secrets.push(new Secret(found, name), new Secret(unescaped(found), name))
    }
  }
  return redactorOf(secrets)
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
