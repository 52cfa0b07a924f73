import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import {
  type ApiSettings,
  CHECKPOINT_ROW,
  CONFIG,
  ENDPOINT,
  HOST,
  JSON_SUMMARY,
  OPTIONAL_API_ROWS,
  type Options,
  OVERWRITE,
  PAGE,
  REGION,
  required,
  STATE,
  sampleSize,
  type Values,
  VERIFY_SAMPLE,
} from '../../options/index.ts'
import { openApi } from '../api-session.ts'
import type { Verified } from '../verify/verified.ts'
import { openInputs } from '../verify/verify-inputs.ts'
import { verifiedOf } from '../verify/verify-json.ts'
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
    const inputs = await openInputs({ datasets: places }, found.place, io)
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
