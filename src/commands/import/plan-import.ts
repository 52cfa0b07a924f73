import { dryRun } from '../../delivery/dry-run.ts'
import { youngSince } from '../../delivery/pacer.ts'
import { assertGoing } from '../../errors.ts'
import { guardFindings } from '../../guards/guards.ts'
import { foreseeGroups } from '../../imports/group-input.ts'
import type { ImportOrder } from '../../imports/import-order.ts'
import { openSource, readerOf, reopen, unnamedFiles } from '../../imports/import-source.ts'
import { foreseeLosses, lookAtFiles, lossesIn } from '../../imports/losses.ts'
import type { Io } from '../../io.ts'
import type { Options } from '../../options/options.ts'
import type { ReaderValues } from '../../options/service-settings.ts'
import { assertTrialMeant, planOf, subjectOf } from './import-of.ts'
import type { ImportResult } from './result.ts'

/** Finds out what an import would do. Sends nothing. */
export async function planImport(
  order: ImportOrder,
  options: Options<ReaderValues>,
  io: Io,
): Promise<ImportResult> {
  const { lanes, limits, caps, via } = order.pace
  const startedAt = performance.now()
  const source = await openSource(order)
  assertTrialMeant(source, order.guards)
  for (const text of await unnamedFiles(order.source)) io.telemetry.note('import', text, 'warn')
  const { input } = order.source
  const open = () => reopen(order)
  const reading = { open, interrupted: io.interrupted, progress: () => undefined }
  const losses = await foreseeLosses(options, io)
  const seen = input.kind === 'file' ? await lookAtFiles(reading, losses) : undefined
  const facts = {
    ...(await foreseeGroups(order.source, options, io, seen?.groups)),
    ...(input.kind === 'dataset' && losses && (await lossesIn(input.path, losses, io))),
    ...seen?.facts,
  }
  const planned = await dryRun({
    source,
    reader: await readerOf(order.source),
    limits,
    pace: { perMinute: caps.perMinute, lanes },
    maxEvents: caps.events,
    via: via ?? 'batch',
    youngFrom: youngSince(Date.now()),
    interrupted: io.interrupted,
    answerMs: losses?.answerMs,
  })
  assertGoing(io.interrupted)
  const findings = guardFindings(facts, order.guards.accept)
  const seconds = (performance.now() - startedAt) / 1000
  return planOf(subjectOf(order, source, io.argv), planned, findings, seconds)
}
