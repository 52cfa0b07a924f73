import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DRAIN_MS } from '../../drain.ts'
import { EXIT, PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import { causeOf } from '../../http/network-error.ts'
import { assertWorkDir, workHome } from '../../imports/state-place.ts'
import type { Io } from '../../io.ts'
import { zeroCounts } from '../../record/counts.ts'
import type { ExportValues } from '../../sources/export-options.ts'
import { ExportState } from '../../sources/export-state.ts'
import { type Listener, missing, provisional, runExport } from '../../sources/run-export.ts'
import type { ExportOrder, ExportPiece, PersonState, Source } from '../../sources/source.ts'
import type { VendorSource } from '../../sources/vendor-source.ts'
import { assertSpan } from '../../sources/window.ts'
import { fileCell } from '../../state/cell.ts'
import { acquireLease } from '../../state/lease.ts'
import { leaseWork } from '../../state/work-folder.ts'
import { assertPlaceFor } from '../../store/dataset.ts'
import { fileError, inMidRun } from '../../store/file-error.ts'
import { LocalStore } from '../../store/local.ts'
import { openStore } from '../../store/open.ts'
import { makeFolder, temporaryBeside } from '../../store/own-file.ts'
import type { Store } from '../../store/store.ts'
import { startProgress } from '../../telemetry/progress.ts'
import { withOptions } from '../../text/command-line.ts'
import { fold } from '../../text/fold.ts'
import { errorJson, secondsJson } from '../../text/json.ts'
import { sum } from '../../text/lists.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { visible } from '../../text/visible.ts'
import { number, plural, span } from '../../text/words.ts'
import type { CommandWork } from '../command.ts'
import {
  FETCH_AGAIN,
  type Held,
  holdAgainstReport,
  isShort,
  keepCounts,
  recounted,
  verdictBy,
} from './hold.ts'
import { type ExportResult, exportResult } from './result.ts'
import { exportLines, requestLines } from './text.ts'

/** A window that takes longer than this, and longer than was expected, is said to. */
const TOLD_FROM_MS = 5_000

/** What is answered, and what ended it or kept the vendor's counts from being asked for. */
interface Ended {
  readonly result: ExportResult
  readonly failure?: unknown
}

/** What an export from a vendor does. */
export function exportWork(vendor: VendorSource): CommandWork<VendorSource['rows'], typeof exportResult> {
  return {
    schema: exportResult,
    lines: exportLines,
    exit: (result) =>
      result.windows.refused.length > 0 ? EXIT.paused : isShort(result.reconciled) ? EXIT.rejects : EXIT.done,
    next: ({ error, next_command: then }) =>
      then === null ? [] : [...(error?.hint ? fold(visible(error.hint), '  ') : []), `  then: ${then}`],
    async *run(call, io) {
      const values = call.values as ExportValues
      const { result, failure } = await runVendorExport(vendor, values, io)
      if (values.dryRun && !values.json) io.stdout.write(requestLines(result))
      yield result
      if (failure !== undefined) throw failure
    },
  }
}

/** Exports from a vendor, by the values of its options: the lock, the state, the progress and the result. */
async function runVendorExport(vendor: VendorSource, values: ExportValues, io: Io): Promise<Ended> {
  if (values.to !== undefined) assertSpan(values.from, values.to)
  assertWorkDir(values)
  const out = values.out
  const store = await openStore(out)
  await assertPlaceFor(store, 'raw')
  const work = await vendor.load()
  const note = (text: string) => io.telemetry.note('export', text, 'warn')
  const { order, against, close } = await work.order(values, { ...io, note })
  try {
    if (values.dryRun) return { ...(await plan(order, store, values, io)), failure: against }
    if (against) throw against
    const place = await leasedPlace(store, out, values, io)
    io.drain.allow(DRAIN_MS)
    try {
      return await fetchAll(order, { store, folder: place.folder }, values, io)
    } finally {
      await place.release()
    }
  } finally {
    await close?.()
  }
}

async function fetchAll(
  order: ExportOrder,
  { store, folder }: { readonly store: Store; readonly folder: string },
  values: ExportValues,
  io: Io,
): Promise<Ended> {
  const startedAt = performance.now()
  const opened = await open(order, store, values)
  const { state } = opened
  let { source } = opened
  const none = resultOf(order, source, values)
  const fetched = { windows: 0, bytes: 0, records: 0, filtered: 0 }
  const refused: string[] = []
  let refusal: PosthaulError | undefined
  const left = () => missing(source, state).length
  const leastMs = () => leastMsOf(source, missing(source, state))
  const done = () => source.pieces.length - left()
  const progress = startProgress({
    telemetry: io.telemetry,
    label: 'export',
    unit: 'windows',
    look: () => ({ doneBytes: done(), totalBytes: source.pieces.length }),
    describe: (eta) => {
      const bySpeed = eta.left({ doneBytes: done(), totalBytes: source.pieces.length }) ?? 0
      const ms = Math.max(bySpeed, leastMs())
      const words = `${number(done())} of ${plural(source.pieces.length, 'window')}, ${plural(fetched.records, 'record')}`
      if (left() === 0) return words
      // A window can take many times as long as those before it: an estimate that did not come true says nothing.
      if (eta.stillMs > Math.max(ms, TOLD_FROM_MS)) return `${words}, at the next for ${span(eta.stillMs)}`
      return ms > 0 ? `${words}, ${span(ms)} left` : words
    },
  })
  const signal = io.interrupted
  const retry = { retryForMs: values.retryFor, clock: systemClock, random: Math.random }
  const scratch = (name: string) => temporaryBeside(join(folder, name))
  const listener: Listener = {
    frozen: (_, part, filtered) => {
      if (filtered === undefined) return
      fetched.windows++
      fetched.records += part.lines
      fetched.filtered += filtered
      fetched.bytes += part.bytes
    },
    retry: (piece, failure, waitMs) =>
      progress.retrying(`${piece.name}: ${failure.message}`, waitMs, causeOf(failure)),
    refused: (piece, failure) => {
      refused.push(piece.name)
      refusal ??= failure
      progress.note(`${piece.name}: ${failure.message}`, 'warn')
    },
    note: (text) => progress.note(text),
  }
  // A command never runs twice at once.
  const { concurrency = 1 } = values
  const fetchMissing = () =>
    runExport({ order, source, store, state, concurrency, signal, retry, scratch, listener })
  const hold = async (): Promise<Held> => {
    if (values.noReconcile)
      return verdictBy(order.identity.vendor, { reason: '--no-reconcile', asked: false })
    const call = { signal, retry: { ...retry, signal }, scratch, note: progress.note }
    if (!source.recount) return holdAgainstReport({ source, store, state, call, progress })
    return recounted({ source, store, state, call, progress }, async (windows) => {
      state.melt(windows)
      await fetchMissing()
    })
  }
  let held: Held = {}
  let persons: PersonState | undefined
  let error: unknown
  try {
    await fetchMissing()
    if (!refusal) {
      held = await hold()
      if (source.recount && !refusal) {
        const { recount: _, ...counted } = source
        source = counted
        await fetchMissing()
      }
      if (!refusal) await keepCounts({ store, state }, held)
      persons = await source.personState?.({ signal })
    }
  } catch (caught) {
    error = inMidRun(fileError(caught, 'write', folder))
  }
  progress.stop()
  await source.close()
  const failure = error ?? held.failure
  const { verdict } = held
  const again = isShort(verdict) ? (source.whenShort ?? FETCH_AGAIN).options : {}
  const isToGoOn = (refusal !== undefined || isShort(verdict)) && failure === undefined
  const parts = state.parts()
  const result: ExportResult = {
    ...none,
    finished: error === undefined && !refusal,
    seconds: secondsJson((performance.now() - startedAt) / 1000),
    counts: {
      ...none.counts,
      read: fetched.records + fetched.filtered,
      written: fetched.records,
      filtered: fetched.filtered,
    },
    windows: { ...none.windows, fetched: fetched.windows, bytes: fetched.bytes, missing: left(), refused },
    dataset: { parts: parts.length, records: sum(parts, (p) => p.events), bytes: sum(parts, (p) => p.bytes) },
    late: provisional(source, state).map(({ name }) => name),
    reconciled: verdict ? { ...verdict, shown_from: shownFrom(order, values) } : null,
    person_state: persons
      ? { from: persons.from, events_without_set: persons.withoutSet, reason: persons.reason ?? null }
      : null,
    error: errorJson(error ?? refusal),
    next_command: isToGoOn ? posthaulLine(withOptions(io.argv, again)) : null,
  }
  return { result, failure }
}

/** What is known before anything is fetched. */
function resultOf({ identity, preset }: ExportOrder, source: Source, values: ExportValues): ExportResult {
  return {
    ...{ version: 1, command: 'export', vendor: identity.vendor, preset: preset ?? null },
    ...{ dry_run: values.dryRun, finished: false, out: values.out, seconds: null, counts: zeroCounts() },
    windows: { asked: source.pieces.length, fetched: 0, missing: 0, bytes: 0, refused: [] },
    renews: source.renews === true || source.recount !== undefined,
    ...{ dataset: null, late: null, reconciled: null, person_state: null },
    ...{ error: null, next_command: null, least_seconds: null, requests: null },
  }
}

/** The first day that the project shows; null where it shows all that is asked for. */
function shownFrom({ about }: ExportOrder, { from }: ExportValues): string | null {
  const day = about?.shown_from
  return day !== undefined && from < Date.parse(day) ? day : null
}

async function plan(order: ExportOrder, store: Store, values: ExportValues, io: Io): Promise<Ended> {
  const { state, source } = await open(order, store, values)
  const wanted = missing(source, state)
  const empty = new Set<ExportPiece>()
  try {
    const found = await source.foresee?.(wanted, {
      signal: io.interrupted,
      retry: { retryForMs: 0, clock: systemClock, random: Math.random, signal: io.interrupted },
      scratch: () => '',
      note: (text) => io.telemetry.note('export', text),
    })
    for (const piece of found ?? []) empty.add(piece)
  } catch (error) {
    // What can't be asked now is told by the export itself.
    if (!(error instanceof PosthaulError) || error.code === 'interrupted') throw error
  } finally {
    await source.close()
  }
  const none = resultOf(order, source, values)
  const asked = wanted.filter((piece) => !empty.has(piece))
  return {
    result: {
      ...none,
      windows: { ...none.windows, missing: wanted.length },
      least_seconds: Math.ceil(leastMsOf(source, asked) / 1000),
      requests: asked.map(({ name, asks }) => ({ window: name, asks })),
    },
  }
}

/** The least time until these pieces are asked for, by the quota. */
function leastMsOf({ limiter }: Source, { length }: readonly ExportPiece[]): number {
  return length === 0 ? 0 : Math.max(0, limiter.leastMs(length))
}

async function open(
  order: ExportOrder,
  store: Store,
  values: ExportValues,
): Promise<{ state: ExportState; source: Source }> {
  const state = await ExportState.open(store, order.identity)
  const source = order.open(state.memory)
  const young = source.renews ? provisional(source, state).map(({ name }) => name) : []
  if (young.length > 0) state.melt([...state.refetch, ...young])
  if (values.refetch) {
    const wanted = source.pieces.map((piece) => piece.name)
    // A refetch that was cut short continues with the windows that are left.
    const goesOn = state.refetch.length > 0 && state.refetch.every((name) => wanted.includes(name))
    if (!goesOn) state.melt(wanted)
  }
  return { state, source }
}

/**
 * Takes the lease, in a folder of this machine that also holds temporary files: the dataset's own, or for a dataset in a
 * bucket a private one, which is removed at the end.
 */
async function leasedPlace(
  store: Store,
  out: string,
  { workDir }: ExportValues,
  { env, telemetry, interrupted: signal }: Pick<Io, 'env' | 'telemetry' | 'interrupted'>,
): Promise<{ folder: string; release: () => Promise<void> }> {
  const note = (text: string) => telemetry.note('export', text, 'warn')
  if (!(store instanceof LocalStore)) {
    const home = workHome(env, workDir)
    const work = await leaseWork({ home, command: 'export', out, signal, note })
    const folder = await work.open().catch(async (error: unknown) => {
      await work.release()
      throw error
    })
    return {
      folder,
      release: async () => {
        await rm(folder, { recursive: true, force: true })
        await work.release()
      },
    }
  }
  await makeFolder(out)
  const cell = fileCell(join(out, '.export.lock'))
  const lease = await acquireLease({ cell, purpose: `export to ${out}`, signal, note })
  return { folder: out, release: () => lease.release() }
}
