import type { Verified } from '../checks/verified.ts'
import { EXIT, type ExitCode, PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import { addDatasetArguments, datasetsOf } from '../jobs/dataset-argument.ts'
import { openApi } from '../jobs/import/api-session.ts'
import { type Asked, gatherReport } from '../jobs/report/gather-report.ts'
import type { ReportData } from '../jobs/report/report-data.ts'
import { assertPagePlace, writePage } from '../jobs/report/report-page.ts'
import { verifiedOf } from '../jobs/verify/verified-file.ts'
import { openInputs } from '../jobs/verify/verify-inputs.ts'
import { verifyInputs } from '../jobs/verify/verify-run.ts'
import type { Options } from '../options/options.ts'
import { required, type Values } from '../options/row.ts'
import { ENDPOINT } from '../options/rows/dataset-rows.ts'
import { CHECKPOINT, STATE } from '../options/rows/import-rows.ts'
import { JSON_SUMMARY, OVERWRITE, PAGE } from '../options/rows/output-rows.ts'
import { CONFIG, HOST, REGION } from '../options/rows/service-rows.ts'
import { SAMPLE } from '../options/rows/verify-rows.ts'
import { type ApiSettings, apiSettingsIfAny, OPTIONAL_API_ROWS } from '../options/service-settings.ts'
import { sampleSize } from '../options/values.ts'
import { fold, REMARK } from '../text/fold.ts'
import { jsonLine } from '../text/json.ts'
import { visible } from '../text/visible.ts'
import { bytes } from '../text/words.ts'
import type { CommandModule } from './command.ts'
import { useReported } from './reported.ts'

const REPORT_ROWS = [
  required(PAGE),
  OVERWRITE,
  { ...CHECKPOINT, help: 'the checkpoint of the import, if it is elsewhere' },
  { ...STATE, help: 'the --state that the import was given' },
  JSON_SUMMARY,
  ENDPOINT,
  REGION,
  HOST,
  ...OPTIONAL_API_ROWS,
  CONFIG,
] as const

type ReportOptions = Options<Values<typeof REPORT_ROWS>>

const HELP = `
Writes one HTML file that shows what was moved, from where, when and how: it
loads nothing, runs nothing, and can be sent by mail or printed. It is made of
what lies on disk or in the bucket: manifests, rejects, the state of the import,
and what verify found last. What could not be found is said on the page.

With POSTHOG_PERSONAL_API_KEY (scopes query:read and group:read; also
ingestion_warning:read and project:read, for why events are missing) the service
is asked again, as verify asks it. What it answers is kept beside the state of
the import, in place of what the last verify found, and missing events are
written to a file there, ready for import --file. Nothing is sent.`

/** `report`: one page of HTML on a migration, for those who were not there. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  addDatasetArguments(command).addHelpText('after', HELP)
  useReported(command, REPORT_ROWS, io, exit, (options, args) =>
    report(datasetsOf(args, undefined), options, io),
  )
}

async function report(names: readonly string[], options: ReportOptions, io: Io): Promise<ExitCode> {
  const { out, overwrite, json, checkpoint, state, endpoint } = options.values
  const place = { path: out, overwrite }
  await assertPagePlace(place)
  const settings = await apiSettingsIfAny(options, io.stdin)
  const data = await gatherReport(
    {
      names,
      where: { checkpoint, state, endpoint },
      stateWords: [
        ...(checkpoint === undefined ? [] : ['--checkpoint', checkpoint]),
        ...(state === undefined ? [] : ['--state', state]),
        ...(endpoint === undefined ? [] : ['--endpoint', endpoint]),
      ],
      ...(settings && { ask: (asked: Asked) => askService(asked, settings, io) }),
    },
    io,
  )
  const size = await writePage(place, data)
  const summary = summaryOf(names, out, size, data)
  io.telemetry.summary('report', { json: summary, text: json ? '' : textOf(out, size, data) })
  if (json) io.stdout.write(jsonLine(summary))
  return EXIT.done
}

/** Compares the datasets with the service, as verify does. That it can't be asked is no failure of a report. */
async function askService(
  { places, found, missing }: Asked,
  settings: ApiSettings,
  io: Io,
): Promise<Verified | undefined> {
  const api = openApi(settings, io)
  try {
    const rules = { switches: [], bigIntegersAsStrings: false }
    const inputs = await openInputs(places, [], rules, found.place, io)
    const asked = { sample: sampleSize(SAMPLE.default), waitMs: 0, missing: undefined, place: found.place }
    return verifiedOf(await verifyInputs(inputs, asked, api, io))
  } catch (error) {
    if (!(error instanceof PosthaulError) || error.code === 'interrupted') throw error
    missing.push(`PostHog could not be asked: ${error.message}`)
    return undefined
  } finally {
    await api.close()
  }
}

function summaryOf(names: readonly string[], out: string, size: number, data: ReportData) {
  return {
    version: 1,
    command: 'report',
    datasets: names,
    out,
    bytes: size,
    asked: data.proof?.askedAt ?? null,
    equal: data.proof?.isEqual ?? null,
    missing: data.missing,
    reduced: data.reduced,
  }
}

function textOf(out: string, size: number, { verdict, missing, reduced }: ReportData): string {
  const lines = [
    `report: ${visible(out)}, ${bytes(size)}`,
    ...(verdict ? fold(visible(`${verdict.title} ${verdict.text ?? ''}`.trim()), '  ', '  ') : []),
    ...missing.flatMap((text) => fold(visible(text), REMARK, '  missing   ')),
    ...reduced.flatMap((text) => fold(visible(text), REMARK, '  smaller   ')),
  ]
  return `${lines.join('\n')}\n`
}
