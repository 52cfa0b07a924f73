import { open, rm } from 'node:fs/promises'
import type { z } from 'zod'
import { type RetryOptions, retrying, type StreamedAnswer, utf8Text } from '../http/index.ts'
import { fileError } from '../store/index.ts'
import { MIB } from '../text/index.ts'
import { cutShort, type Expected, type VendorClient, VendorError } from './vendor-client.ts'

/**
 * An answer's body as text. Throws `tooLong()` for one of more than `most` bytes, whose rest is not read, and an error with the
 * fate `retry` for bytes that are no UTF-8: records would lose signs in silence.
 */
export async function answerText(
  body: AsyncIterable<Buffer>,
  most: number,
  vendor: string,
  tooLong: () => Error,
): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    if (length > most) throw tooLong()
  }
  try {
    return utf8Text(Buffer.concat(chunks))
  } catch (error) {
    throw cutShort(`${vendor} answered with bytes that are no UTF-8`, error)
  }
}

/**
 * Saves an answer's body in a file of this machine's disk. Throws an error with the fate `retry` unless each byte came that
 * the answer has, and for one of more than `most` bytes, whose rest is not read: it would fill the disk.
 */
export async function saveAnswer(
  { headers, body }: StreamedAnswer,
  path: string,
  { most, whose }: { readonly most: number; readonly whose: string },
): Promise<void> {
  const said = headers['content-length']
  let bytes = 0
  const tooLong = () => cutShort(`${whose} is larger than the ${most} bytes that it can have`)
  try {
    if (Number(said) > most) throw tooLong()
    // A try before this one may have left a part of its answer.
    await rm(path, { force: true })
    const file = await open(path, 'wx')
    try {
      for await (const chunk of body) {
        bytes += chunk.length
        if (bytes > most) throw tooLong()
        await file.writeFile(chunk)
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    throw fileError(error, 'write', path)
  }
  if (said !== undefined && Number(said) !== bytes)
    throw cutShort(`${whose} has ${said} bytes, and ${bytes} came`)
}

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
