import { PosthaulError } from '../../errors.ts'
import { Secret } from '../../http/secret.ts'
import { openApi } from '../../imports/api-session.ts'
import type { Verified } from '../../imports/verified.ts'
import { openInputs } from '../../imports/verify-inputs.ts'
import { verifyInputs } from '../../imports/verify-run.ts'
import type { Io } from '../../io.ts'
import { type ApiSettings, apiSettingsIfAny } from '../../options/service-settings.ts'
import { sampleSize } from '../../options/values.ts'
import { VERIFY_SAMPLE } from '../../options/verify-rows.ts'
import type { Api } from '../../service/api.ts'
import { chooseProject, projectById } from '../../service/key-owner.ts'
import { fold } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
import { bytes } from '../../text/words.ts'
import { datasetsOf } from '../dataset-argument.ts'
import { labelled } from '../lines.ts'
import { type AskedOfService, gatherReport, type OfEvents, ofOneKind } from './gather-report.ts'
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
  const data = await gatherReport(
    {
      names,
      where: { checkpoint, state },
      ...(settings && { ask: (asked: AskedOfService) => askService(asked, settings, io) }),
    },
    io,
  )
  const bytes = await writePage(place, data)
  const { verdict, proof, missing, reduced } = data
  const [asked, equal] = [proof?.asked_at ?? null, proof?.found.equal ?? null]
  const said = verdict ? `${verdict.title} ${verdict.text ?? ''}`.trim() : null
  const result = { datasets: names, out, bytes, asked, equal, verdict: said, missing, reduced }
  yield { version: 1, command: 'report', ...result }
}

/** Compares the datasets with the service, as verify does. That it can't be asked is no failure of a report. */
async function askService(
  { events, missing }: AskedOfService,
  settings: ApiSettings,
  io: Io,
): Promise<Verified | undefined> {
  const api = openApi(settings, io)
  try {
    const here = ofOneKind(await inProject(events, api))
    const { place } = here[0]!.found
    const inputs = await openInputs({ datasets: here.map(({ name }) => name) }, place, io)
    const sample = sampleSize(VERIFY_SAMPLE.default)
    const asked = { sample, waitMs: 0, missing: undefined, place }
    return await verifyInputs(inputs, asked, api, io)
  } catch (error) {
    if (!(error instanceof PosthaulError) || error.code === 'interrupted') throw error
    missing.push(`PostHog could not be asked: ${error.message}`)
    return undefined
  } finally {
    await api.close()
  }
}

/** Those that were sent to this project, where they went to several; all of them where that can't be told. */
async function inProject(events: readonly OfEvents[], api: Api): Promise<readonly OfEvents[]> {
  const keyOf = ({ found }: OfEvents) => found.part?.state.target.key
  if (new Set(events.map(keyOf)).size < 2) return events
  const { api_token: token } = await projectById(api, await chooseProject(api))
  if (token === undefined) return events
  const key = new Secret(token, 'the project').fingerprint()
  const here = events.filter((one) => keyOf(one) === key)
  return here.length > 0 ? here : events
}

export function lines(result: ReportResult): string[] {
  return [
    `report: ${visible(result.out)}, ${bytes(result.bytes)}`,
    ...(result.verdict === null ? [] : fold(visible(result.verdict), '  ')),
    ...result.missing.flatMap((text) => labelled('missing', visible(text))),
    ...result.reduced.flatMap((text) => labelled('smaller', visible(text))),
  ]
}
