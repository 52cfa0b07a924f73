import { open, rm } from 'node:fs/promises'
import type { z } from 'zod'
import { beginningOf, utf8Text } from '../http/network-error.ts'
import { type RetryOptions, retrying } from '../http/retry.ts'
import type { StreamedAnswer } from '../http/transport.ts'
import { fileError } from '../store/file-error.ts'
import { MIB } from '../text/units.ts'
import {
  cutShort,
  type Expected,
  type VendorClient,
  VendorError,
  type VendorRequest,
} from './vendor-client.ts'

/** A request for JSON. */
export interface JsonRequest<T> extends VendorRequest {
  /** What the text says. Throws for one of another shape. */
  readonly read: (text: string, headers: StreamedAnswer['headers']) => T
  readonly most: number
  readonly tooLong: () => Error
  /** What is said of an answer of another shape: `PostHog answered 200, but with no rows`. */
  readonly otherwise: string
  readonly expected?: Expected | undefined
}

/** Asks for JSON. An answer of another shape is an error with the fate `retry`. */
export async function askJson<T>(
  client: VendorClient,
  { read, most, tooLong, otherwise, expected, ...request }: JsonRequest<T>,
  signal: AbortSignal,
): Promise<T> {
  const headers = { accept: 'application/json', ...request.headers }
  const { headers: given, body } = await client.ask({ ...request, headers }, signal, expected)
  const bytes = await beginningOf(body, most)
  if (bytes.length > most) throw tooLong()
  let text: string
  try {
    // Records would lose signs in silence.
    text = utf8Text(bytes)
  } catch (error) {
    throw cutShort(`${client.vendor} answered with bytes that aren't UTF-8`, error)
  }
  try {
    return read(text, given)
  } catch (error) {
    // Redacted before it is cut: half a secret would not be known for one.
    throw cutShort(`${otherwise}: ${client.redact(text).slice(0, 200)}`, error)
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
  const tooLong = () => cutShort(`${whose} is larger than ${most} bytes, the most it can have`)
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
  readonly expected?: Expected | undefined
}

/**
 * Asks a report and reads its JSON. An answer that is no JSON is asked for again; JSON of another shape is not,
 * because it would come again.
 */
export function askReport<T>(
  client: VendorClient,
  path: string,
  schema: z.ZodType<T>,
  { signal, retry, expected }: Asking,
): Promise<T> {
  const said = `${client.vendor}'s report`
  const request: JsonRequest<unknown> = {
    ...{ method: 'GET', path, expected, read: (text) => JSON.parse(text), most: MOST_BYTES },
    tooLong: () => cutShort(`${said} has over ${MOST_BYTES} bytes`),
    otherwise: `${said} answered 200, but with no JSON`,
  }
  return retrying(async () => {
    const { success, data, error } = schema.safeParse(await askJson(client, request, signal))
    if (success) return data
    const details = { code: 'unavailable', cause: error } as const
    throw new VendorError(
      `${said} has a shape that posthaul doesn't know: ${error.issues[0]?.message}`,
      details,
    )
  }, retry)
}
