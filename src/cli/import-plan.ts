import { youngSince } from '../delivery/caps.ts'
import { dryRun } from '../delivery/dry-run.ts'
import { EXIT, type ExitCode, PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import { foreseeGroups } from '../jobs/import/foresee-groups.ts'
import { foretellPersons } from '../jobs/import/foretell-persons.ts'
import type { ImportSettings } from '../jobs/import/import-settings.ts'
import { openSource, readerOf, reopen, unnamedFiles } from '../jobs/import/import-source.ts'
import { subjectOf } from '../jobs/import/import-subject.ts'
import { isForeign, planJson, planSummary } from '../jobs/import/import-summary.ts'
import type { Options } from '../options/options.ts'
import type { ReaderValues } from '../options/service-settings.ts'
import { continueCommand } from '../text/command-line.ts'
import { folded } from '../text/fold.ts'
import { jsonLine } from '../text/json.ts'

/** Prints what an import would do, and sends nothing. */
export async function planImport(
  settings: ImportSettings,
  options: Options<ReaderValues>,
  io: Io,
): Promise<ExitCode> {
  const { lanes, limits, caps } = settings
  const startedAt = performance.now()
  const source = await openSource(settings)
  for (const text of await unnamedFiles(settings)) io.telemetry.note('import', text, 'warn')
  const foreseen = await foreseeGroups(settings, options, io)
  const planned = await dryRun({
    source,
    reader: await readerOf(settings),
    limits,
    pace: { perMinute: caps.perMinute, lanes, perId: caps.perId },
    maxEvents: caps.events,
    via: settings.via ?? 'batch',
    youngFrom: youngSince(Date.now()),
    interrupted: io.interrupted,
  })
  if (io.interrupted.aborted) throw new PosthaulError('interrupted', { code: 'interrupted' })
  const open = () => reopen(settings)
  const persons = settings.keepPersons === false ? undefined : await foretellPersons(options, { open }, io)
  const subject = { ...subjectOf(settings, source, io), foretold: persons, groups: foreseen.fit }
  const seconds = (performance.now() - startedAt) / 1000
  const json = planJson(subject, planned, seconds)
  if (settings.json) io.stdout.write(jsonLine(json))
  io.telemetry.summary('import', { json, text: settings.json ? '' : planSummary(subject, planned) })
  for (const text of foreseen.texts) io.stderr.write(folded(text, '            ', '  groups    '))
  const { fit } = foreseen
  const stops = fit && (fit.tooMany.length > 0 || (fit.younger.length > 0 && !settings.acceptHiddenGroups))
  if (!stops && !isForeign(planned.counts, planned.reasons))
    io.stderr.write(`  next: ${continueCommand(io.argv.filter((word) => word !== '--dry-run'))}\n`)
  return stops || planned.counts.rejected > 0 ? EXIT.rejects : EXIT.done
}
