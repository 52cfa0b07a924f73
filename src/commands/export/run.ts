import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT, type ExitCode } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import type { Io } from '../../io.ts'
import { continueCommand } from '../../report/command-line.ts'
import { renderError } from '../../report/error.ts'
import {
  type ExportResult,
  type ExportSubject,
  exportJson,
  exportPlanJson,
  exportPlanLines,
  exportPlanSummary,
  exportSummary,
} from '../../report/export-summary.ts'
import { folded } from '../../report/fold.ts'
import { startProgress } from '../../report/progress.ts'
import { isShort } from '../../report/reconciled.ts'
import { visible } from '../../report/visible.ts'
import { number, plural, span } from '../../report/words.ts'
import { ExportState } from '../../sources/export-state.ts'
import { missing, type Outcome, provisional, runExport } from '../../sources/run-export.ts'
import type { Order, Source } from '../../sources/source.ts'
import { fileCell } from '../../store/cell.ts'
import { fileError } from '../../store/file-error.ts'
import { acquireLease } from '../../store/lease.ts'
import { LocalStore } from '../../store/local.ts'
import { openStore } from '../../store/open.ts'
import { withEndpoint } from '../../store/s3-location.ts'
import type { Store } from '../../store/store.ts'
import type { ExportValues } from './export-options.ts'
import { type Held, holdAgainstReport } from './hold.ts'

/** Runs any vendor's export: the lock, the state, the progress and the summary. */
export async function runExportCommand(order: Order, values: ExportValues, io: Io): Promise<ExitCode> {
  const store = await openStore(withEndpoint(values.out, values.endpoint))
  if (values.dryRun) return plan(order, store, values, io)
  const place = await workPlace(store, values.out, io)
  try {
    return await fetchAll(order, store, place.folder, values, io)
  } finally {
    await place.release()
  }
}

async function fetchAll(
  order: Order,
  store: Store,
  folder: string,
  values: ExportValues,
  io: Io,
): Promise<ExitCode> {
  const startedAt = performance.now()
  const { state, source } = await open(order, store, values)
  const subject: ExportSubject = { vendor: order.vendor, out: values.out, windows: source.pieces.length }
  const result: ExportResult = { records: 0, fetched: 0, adopted: 0, bytes: 0, refused: [] }
  const before = subject.windows - missing(source, state).length
  const progress = startProgress({
    stderr: io.stderr,
    label: 'export',
    look: () => ({ doneBytes: before + result.fetched + result.adopted, totalBytes: subject.windows }),
    describe: (eta) => {
      const done = before + result.fetched + result.adopted
      const left = subject.windows - done
      const bySpeed = eta.left({ doneBytes: done, totalBytes: subject.windows }) ?? 0
      const ms = Math.max(bySpeed, source.limiter.leastMs(left))
      const words = `${number(done)} of ${plural(subject.windows, 'window')}, ${plural(result.records, 'record')}`
      return left === 0 ? words : `${words}${ms > 0 ? `, ${span(ms)} left` : ''}`
    },
  })
  const signal = io.interrupted
  const retry = { retryForMs: values.retryFor, clock: systemClock, random: Math.random }
  const scratch = (name: string) => join(folder, `.${name}.${randomSuffix()}.tmp`)
  let outcome: Outcome | undefined
  let error: unknown
  try {
    outcome = await runExport({
      order,
      source,
      store,
      state,
      concurrency: values.concurrency,
      signal,
      retry,
      scratch,
      listener: {
        frozen: (_, part, fetched) => {
          if (!fetched) result.adopted++
          else {
            result.fetched++
            result.records += part.lines
            result.bytes += part.bytes
          }
        },
        retry: (piece, failure, waitMs) => progress.retrying(`${piece.name}: ${failure.message}`, waitMs),
        refused: (piece, failure) => {
          result.refused.push({ window: piece.name, error: failure })
          progress.note(`${piece.name}: ${failure.message}`)
        },
        note: (text) => progress.note(text),
      },
    })
  } catch (caught) {
    error = caught
  }
  let held: Held = { verdict: undefined }
  if (outcome?.refused.length === 0) {
    const call = { signal, retry: { ...retry, signal }, scratch, note: progress.note }
    held = values.noReconcile
      ? { verdict: { vendor: order.vendor, reason: '--no-reconcile', asked: false } }
      : await holdAgainstReport({ source, store, state, call, progress })
  }
  progress.stop()
  await source.close()
  const seconds = (performance.now() - startedAt) / 1000
  const done = {
    ...result,
    missing: missing(source, state).length,
    parts: state.parts(),
    late: provisional(source, state),
    verdict: held.verdict,
    seconds,
    error,
  }
  if (values.json) io.stdout.write(`${JSON.stringify(exportJson(subject, done))}\n`)
  else io.stderr.write(exportSummary(subject, done))
  const failure = error ?? held.failure
  if (failure !== undefined) return renderError(failure, io)
  if (outcome?.refused.length) return refused(result, io)
  if (!isShort(held.verdict)) return EXIT.done
  io.stderr.write(
    `  then: ${continueCommand([...io.argv.filter((word) => word !== '--refetch'), '--refetch'])}\n`,
  )
  return EXIT.rejects
}

function refused({ refused: [first] }: ExportResult, io: Io): ExitCode {
  if (first?.error.hint) io.stderr.write(folded(visible(first.error.hint), '  '))
  io.stderr.write(`  then: ${continueCommand(io.argv)}\n`)
  return EXIT.paused
}

async function plan(order: Order, store: Store, values: ExportValues, io: Io): Promise<ExitCode> {
  const { state, source } = await open(order, store, values)
  const wanted = missing(source, state)
  const leastMs = wanted.length === 0 ? 0 : Math.max(0, source.limiter.leastMs(wanted.length))
  await source.close()
  const subject: ExportSubject = { vendor: order.vendor, out: values.out, windows: source.pieces.length }
  if (values.json) io.stdout.write(`${JSON.stringify(exportPlanJson(subject, wanted, leastMs))}\n`)
  else {
    io.stdout.write(exportPlanLines(wanted))
    io.stderr.write(exportPlanSummary(subject, wanted, leastMs))
  }
  return EXIT.done
}

async function open(
  order: Order,
  store: Store,
  values: ExportValues,
): Promise<{ state: ExportState; source: Source }> {
  const state = await ExportState.open(store, order.identity)
  const source = order.open({
    asked: (quota) => state.asked(quota),
    remember: async (quota, asked, now) => {
      state.remember(quota, asked)
      if (now) await state.flush()
    },
  })
  if (values.refetch) {
    const wanted = source.pieces.map((piece) => piece.name)
    // A refetch that was cut short continues with the windows that are left.
    const goesOn = state.refetch.length > 0 && state.refetch.every((name) => wanted.includes(name))
    if (!goesOn) state.melt(wanted)
  }
  return { state, source }
}

/**
 * Takes the lease, in a folder of this machine that also holds temporary files: the dataset's own, or for a remote
 * dataset a temporary folder that is named after it.
 */
async function workPlace(
  store: Store,
  out: string,
  { stderr, interrupted: signal }: Pick<Io, 'stderr' | 'interrupted'>,
): Promise<{ folder: string; release: () => Promise<void> }> {
  const local = store instanceof LocalStore
  const name = `posthaul-export-${createHash('sha256').update(out).digest('hex').slice(0, 16)}`
  const folder = local ? out : join(tmpdir(), name)
  try {
    await mkdir(folder, { recursive: true })
  } catch (error) {
    throw fileError(error, 'make the folder', folder)
  }
  const cell = fileCell(join(folder, '.export.lock'))
  const note = (text: string) => stderr.write(folded(visible(text), '  ', 'export: '))
  const lease = await acquireLease({ cell, purpose: `export to ${out}`, signal, note })
  if (local) return { folder, release: () => lease.release() }
  return {
    folder,
    release: async () => {
      await lease.release()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function randomSuffix(): string {
  return Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0')
}
