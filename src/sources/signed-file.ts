import { isLoopback } from '../http/network-error.ts'
import { isPassing, retryAfterMs } from '../http/retry.ts'
import { Secret } from '../http/secret.ts'
import { Transport } from '../http/transport.ts'
import { saveAnswer } from './answer-bytes.ts'
import { passingRefusal, VendorError } from './vendor-client.ts'

// The deadline of a file, in times of the longest silence.
const SILENCES = 12
// A value of the address that is shorter tells nobody anything.
const LEAST_SECRET = 16

interface SignedFile {
  readonly vendor: string
  /** What to do about an address that can't be followed. */
  readonly hint: string
  readonly most: number
  /** The longest silence of the server, in milliseconds. */
  readonly quietMs: number
  readonly signal: AbortSignal
}

/**
 * Fetches a file from its signed address to a path on this machine's disk. The address is its own permission: the request
 * carries no key, since the address can lead to any host, and a further redirect is not followed. Throws an error with
 * the fate `retry` unless every byte came. True if the answer told its length.
 */
export async function fetchSigned(
  url: URL,
  path: string,
  { vendor, hint, most, quietMs, signal }: SignedFile,
): Promise<boolean> {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new VendorError(`${vendor} leads to ${url.protocol}//${url.host} for a file, which is not https`, {
      ...{ code: 'config', hint },
    })
  }
  const transport = new Transport({ origin: url.origin, secrets: secretsOf(url), connections: 1 })
  try {
    const answer = await transport.stream({
      method: 'GET',
      path: `${url.pathname}${url.search}`,
      quietMs,
      timeoutMs: quietMs * SILENCES,
      signal,
    })
    if (answer.status !== 200) {
      await answer.text(0)
      const waitMs = retryAfterMs(answer.headers['retry-after'], Date.now())
      const said = `${url.host} answered ${answer.status} to a signed address`
      throw signedRefusal(said, answer.status, waitMs, hint)
    }
    await saveAnswer(answer, path, { most, whose: `a file of ${url.host}` })
    return answer.headers['content-length'] !== undefined
  } finally {
    await transport.close()
  }
}

/** What in the address gives access to the file. */
function secretsOf(url: URL): Secret[] {
  const values = [...url.searchParams.values()].filter((value) => value.length >= LEAST_SECRET)
  return values.map((value) => new Secret(value, "the file's address"))
}

function signedRefusal(said: string, status: number, waitMs: number | undefined, hint: string): VendorError {
  if (status >= 300 && status < 400)
    return new VendorError(`${said} (a second redirect is not followed)`, { code: 'config', hint })
  // 403 is an address whose time is over, 404 a file that is gone: the vendor is asked for a new one.
  if (isPassing(status) || status === 403 || status === 404) return passingRefusal(said, status, waitMs)
  return new VendorError(said, { code: 'unavailable', status, hint: 'run the same command again later' })
}
