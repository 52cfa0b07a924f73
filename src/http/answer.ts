import { PosthaulError } from '../errors.ts'
import { NetworkError, type NetworkKind } from './network-error.ts'

/** What came back for one request: an answer of any status, or how the request failed. */
export type Reply =
  | {
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
      /** The whole body. */
      readonly bytes?: Buffer
      /** Takes secrets out of what is shown of it. */
      readonly redact?: (text: string) => string
    }
  | { readonly network: NetworkKind; readonly message: string }

/** A body's first bytes. If the body is longer than `most`, these are too, and the rest is not read. */
export async function beginningOf(body: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    if (length > most) break
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

/** Bytes as text, without a byte order mark. RangeError where they are no UTF-8: signs would be lost in silence. */
export function utf8Text(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new RangeError('not valid UTF-8', { cause })
  }
}

/** The headers, repeated ones joined by a comma. */
export function flatHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return flat
}

/** Why a request is tried again, as a word to count by: the status, or the kind of the network's failure. */
export function causeOf(failure: Reply | Error): string {
  if (failure instanceof NetworkError) return failure.kind
  if ('network' in failure) return failure.network
  if ('status' in failure && typeof failure.status === 'number') return String(failure.status)
  return failure instanceof PosthaulError ? failure.code : 'other'
}
