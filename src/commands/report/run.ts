import type { Io } from '../../io.ts'
import { apiSettingsIfAny } from '../../options/service-settings.ts'
import { fold } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
import { bytes } from '../../text/words.ts'
import { datasetsOf } from '../dataset-argument.ts'
import { labelled } from '../lines.ts'
import { gatherReport } from './gather-report.ts'
import type { ReportCall } from './index.ts'
import { assertPagePlace, writePage } from './report-page.ts'
import type { ReportResult } from './result.ts'

export { reportResult as schema } from './result.ts'

/** Writes the page of datasets. */
export async function* run(call: ReportCall, io: Io): AsyncGenerator<ReportResult> {
  const names = datasetsOf(call.args, undefined)
  const { out, overwrite, checkpoint, state } = call.values
  const place = { path: out, overwrite }
  await assertPagePlace(place)
  const settings = await apiSettingsIfAny(call, io.stdin)
  const data = await gatherReport(names, { checkpoint, state }, settings, io)
  const bytes = await writePage(place, data)
  const { verdict, proof, missing, reduced } = data
  const [asked, equal] = [proof?.asked_at ?? null, proof?.found.equal ?? null]
  const said = verdict ? `${verdict.title} ${verdict.text ?? ''}`.trim() : null
  const result = { datasets: names, out, bytes, asked, equal, verdict: said, missing, reduced }
  yield { version: 1, command: 'report', ...result }
}

export function lines(result: ReportResult): string[] {
  return [
    `report: ${visible(result.out)}, ${bytes(result.bytes)}`,
    ...(result.verdict === null ? [] : fold(visible(result.verdict), '  ')),
    ...result.missing.flatMap((text) => labelled('missing', visible(text))),
    ...result.reduced.flatMap((text) => labelled('smaller', visible(text))),
  ]
}
