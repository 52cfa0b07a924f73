import type { z } from 'zod'
import { type RetryOptions, retrying } from '../http/index.ts'
import { MIB } from '../text/index.ts'
import { answerText } from './answer-bytes.ts'
import type { Expected, VendorClient } from './vendor-client.ts'
import { cutShort, VendorError } from './vendor-error.ts'

// Counts of a year and of some hundred names are a few megabytes.
const MOST_BYTES = 64 * MIB

/** How a report is asked: what is retried and until when. */
export interface Asking {
  readonly signal: AbortSignal
  readonly retry: RetryOptions
  /** Knows refusals of this report. */
  readonly expected?: Expected | undefined
}

/**
 * Asks a report by GET and reads its JSON. An answer that is no JSON is asked for again; JSON of another shape is not,
 * because it would come again.
 */
export function askReport<T>(
  client: VendorClient,
  path: string,
  schema: z.ZodType<T>,
  { signal, retry, expected }: Asking,
): Promise<T> {
  return retrying(async () => {
    const request = { method: 'GET', path, headers: { accept: 'application/json' } } as const
    const answer = await client.ask(request, signal, expected)
    const text = await answerText(answer.body, MOST_BYTES, client.vendor, () => {
      return cutShort(`${client.vendor}'s report has over ${MOST_BYTES} bytes`)
    })
    const checked = schema.safeParse(parse(text, client))
    if (checked.success) return checked.data
    throw new VendorError(
      `${client.vendor}'s report has another shape than it had: ${checked.error.issues[0]?.message}`,
      {
        code: 'unavailable',
        cause: checked.error,
      },
    )
  }, retry)
}

function parse(text: string, client: VendorClient): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw cutShort(
      `${client.vendor}'s report answered 200, but with no JSON: ${client.redact(text.slice(0, 200))}`,
      error,
    )
  }
}
