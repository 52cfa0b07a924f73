import type { z } from 'zod'
import type { AroundCall } from '../../around/index.ts'
import type { Limit } from '../../http/index.ts'
import { MS_PER_HOUR, MS_PER_MINUTE, span } from '../../text/index.ts'
import { type Asking, askReport } from '../answer-bytes.ts'
import { NotTold } from '../not-told.ts'
import type { Expected, VendorClient } from '../vendor-client.ts'
import type { ChartTools } from '../vendor-source.ts'

const why = "Amplitude's quota"

/** What a project may ask of its taxonomy (amplitude.com/docs/apis/analytics/taxonomy): a GET costs one unit. */
export const TAXONOMY_LIMITS: readonly Limit[] = [{ requests: 7200, perMs: MS_PER_HOUR + 5000, why }]

/**
 * How many cohorts may be asked for (amplitude.com/docs/apis/analytics/behavioral-cohorts). The 500 a month that are
 * documented besides are counted by Amplitude, which refuses more.
 */
export const COHORT_LIMITS: readonly Limit[] = [{ requests: 60, perMs: 10 * MS_PER_MINUTE + 5000, why }]

/** Who is asked for what lies around the events. */
export interface AroundAsker {
  readonly client: VendorClient
  readonly retry: ChartTools['retry']
}

/** What is asked, for sentences and errors. */
interface Asked extends Pick<Asking, 'wants' | 'expected'> {
  readonly what: string
}

/** Asks for JSON, with retries. Tells the user of a long wait. Throws NotTold where Amplitude refuses this alone. */
export async function askAround<T>(
  { client, retry }: AroundAsker,
  path: string,
  schema: z.ZodType<T>,
  { call, ...asked }: Asked & { readonly call: AroundCall },
): Promise<T> {
  const waitMs = client.limiter.leastMs(1)
  if (waitMs > MS_PER_MINUTE) call.note(`waiting ${span(waitMs)} for ${why}`)
  const { signal } = call
  return await askReport(client, path, schema, {
    ...{ expected: notTold, ...asked },
    ...{ signal, retry: { ...retry, signal } },
  })
}

/** The words of a 403 that is of the keys, not of the plan. */
const KEYS = /\b(?:api|secret) ?key|credential|unauthorized/i

/** A plan without it answers 402 or 403, and 404 by the document of the taxonomy. */
export const notTold: Expected = (status, words) => {
  const isMeant = status === 402 || status === 404 || (status === 403 && !KEYS.test(words))
  return isMeant ? refusedAlone(status, words) : undefined
}

export function refusedAlone(status: number, words: string): NotTold {
  const message = `Amplitude answered ${status}${words ? `: ${words}` : ''}`
  return new NotTold(message, { code: 'unavailable', status })
}
