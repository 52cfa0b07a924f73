import { AROUND_KINDS, type AroundKind } from '../../around/index.ts'
import { PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/index.ts'
import type { Io } from '../../io.ts'
import {
  API_ROWS,
  AROUND_DRY_RUN,
  AROUND_OUT,
  exportRows,
  JSON_SUMMARY,
  MAP,
  ONLY_KINDS,
  OVERWRITE_WORDS,
  RESTART,
  TAKE_BACK,
  type Values,
  VENDOR_REGION,
} from '../../options/index.ts'
import { vendorNamed } from '../../sources/index.ts'
import { isS3 } from '../../store/index.ts'
import { MS_PER_SECOND, span } from '../../text/index.ts'
import type { PushOrder } from './run.ts'

export const PULL_ROWS = [
  AROUND_OUT,
  { ...RESTART, help: 'fetch anew what was fetched before' },
  { ...OVERWRITE_WORDS, help: 'write over files that were edited since they were pulled' },
  VENDOR_REGION,
  { ...exportRows.BASE_URL, help: "another address for the vendor's requests, such as a proxy" },
  exportRows.EXPORT_RETRY_FOR,
  exportRows.TIMEOUT,
  JSON_SUMMARY,
] as const
export type PullValues = Values<typeof PULL_ROWS>

const FOLDER_ROWS = [
  { ...MAP, help: 'mapping file of the transform, for the names' },
  ONLY_KINDS,
  OVERWRITE_WORDS,
] as const

export const DIFF_ROWS = [...FOLDER_ROWS, JSON_SUMMARY, ...API_ROWS] as const
export const PUSH_ROWS = [...FOLDER_ROWS, AROUND_DRY_RUN, TAKE_BACK, JSON_SUMMARY, ...API_ROWS] as const

type FolderValues = Values<typeof FOLDER_ROWS>

/** Reads what is compared or brought. Opens no file. Code `usage` for a folder in a bucket. */
export function pushOrder(folder: string, values: FolderValues & { readonly undo?: boolean }): PushOrder {
  assertFolder(folder)
  const only: readonly AroundKind[] = values.only ?? AROUND_KINDS
  return { folder, map: values.map, overwrite: values.overwrite, only, act: values.undo ? 'undo' : 'push' }
}

/** People edit these files, and keep them in git. */
function assertFolder(folder: string): void {
  if (isS3(folder))
    throw new PosthaulError(`${folder} is in a bucket`, {
      code: 'usage',
      hint: 'name a folder of this machine',
    })
}

/** Waits that are shorter than this are not worth a line. */
const TOLD_FROM_MS = 10 * MS_PER_SECOND

/** Opens the source that is pulled. Code `usage` for a vendor of which only events are known, `auth` or `config` for credentials. */
export async function openAround(vendor: string, values: PullValues, io: Io) {
  assertFolder(values.out)
  const work = await vendorNamed(vendor).load()
  if (!work.around) {
    throw new PosthaulError(`what lies around the events of ${vendor} can't be pulled`, {
      code: 'usage',
      hint: 'it can of mixpanel, amplitude and posthog',
    })
  }
  const note = (text: string) => io.telemetry.note('around', text)
  const source = await work.around(
    { vendor, region: values.vendorRegion, baseUrl: values.baseUrl },
    {
      env: io.env,
      stdin: io.stdin,
      clock: systemClock,
      patienceMs: values.timeout,
      // A run that is started again waits where the vendor says so.
      memory: { asked: () => [], remember: async () => undefined },
      retry: {
        retryForMs: values.retryFor,
        clock: systemClock,
        random: Math.random,
        onRetry: ({ message }, ms) => {
          if (ms >= TOLD_FROM_MS) note(`waiting ${span(ms)}: ${message}`)
        },
      },
    },
  )
  return { source, call: { signal: io.interrupted, note } }
}
