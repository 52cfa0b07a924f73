import type { Verified } from '../../checks/verified.ts'
import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import type { Options } from '../../options/options.ts'
import { required, type Values } from '../../options/row.ts'
import { ENDPOINT } from '../../options/rows/dataset-rows.ts'
import { CHECKPOINT_ROW, STATE } from '../../options/rows/import-rows.ts'
import { JSON_SUMMARY, OVERWRITE, PAGE } from '../../options/rows/output-rows.ts'
import { CONFIG, HOST, REGION } from '../../options/rows/service-rows.ts'
import { VERIFY_SAMPLE } from '../../options/rows/verify-rows.ts'
import { type ApiSettings, OPTIONAL_API_ROWS } from '../../options/service-settings.ts'
import { sampleSize } from '../../options/values.ts'
import { openApi } from '../import/api-session.ts'
import { verifiedOf } from '../verify/verified-file.ts'
import { openInputs } from '../verify/verify-inputs.ts'
import { verifyInputs } from '../verify/verify-run.ts'
import type { AskedOfService } from './gather-report.ts'

export const REPORT_ROWS = [
  required(PAGE),
  OVERWRITE,
  { ...CHECKPOINT_ROW, help: 'the checkpoint of the import, if it is elsewhere' },
  { ...STATE, help: 'the --state that the import was given' },
  JSON_SUMMARY,
  ENDPOINT,
  REGION,
  HOST,
  ...OPTIONAL_API_ROWS,
  CONFIG,
] as const

export type ReportOptions = Options<Values<typeof REPORT_ROWS>>

/** Compares the datasets with the service, as verify does. That it can't be asked is no failure of a report. */
export async function askService(
  { places, found, missing }: AskedOfService,
  settings: ApiSettings,
  io: Io,
): Promise<Verified | undefined> {
  const api = openApi(settings, io)
  try {
    const rules = { switches: [], bigIntegersAsStrings: false }
    const inputs = await openInputs(places, [], rules, found.place, io)
    const asked = {
      sample: sampleSize(VERIFY_SAMPLE.default),
      waitMs: 0,
      missing: undefined,
      place: found.place,
    }
    return verifiedOf(await verifyInputs(inputs, asked, api, io))
  } catch (error) {
    if (!(error instanceof PosthaulError) || error.code === 'interrupted') throw error
    missing.push(`PostHog could not be asked: ${error.message}`)
    return undefined
  } finally {
    await api.close()
  }
}
