import type { GoogleAuthOptions } from 'google-auth-library'
import { isPassing, NetworkError, Secret, Transport } from '../../http/index.ts'
import { readPrivateFile } from '../../options/index.ts'
import { loadDriver } from '../sql/driver.ts'
import { cutShort, VendorError } from '../vendor-client.ts'
import type { CredentialsFrom } from '../vendor-source.ts'

const VARIABLE = 'GOOGLE_APPLICATION_CREDENTIALS'
/** Reading needs no more, but jobs can't be ordered with the scope that only reads. */
const SCOPES = ['https://www.googleapis.com/auth/bigquery']

/** Google's are over a hundred characters. */
const TOKEN = /^Bearer ([\x21-\x7e]{12,})$/

/** Where tokens are asked for. */
interface TokenPlace {
  /** In place of the hosts of Google. */
  readonly baseUrl: string | undefined
  readonly project: string
  readonly timeoutMs: number
}

/** Tokens of a service account, or of the credentials that the machine or its user has by default. */
export interface GoogleTokens {
  /** The headers of a request, and what must not be shown of them. Code `auth` if Google gives no token. */
  headers(): Promise<{ readonly headers: Record<string, string>; readonly secrets: readonly Secret[] }>
  /** Whose the tokens are; undefined for a user, who has no name here. */
  owner(): Promise<string | undefined>
  /** Forgets a token that was refused, though its time is not over. */
  drop(): void
}

/** Code `config` without the package, and for a file that others can read or that holds no credentials. */
export async function googleTokens(
  { env }: Pick<CredentialsFrom, 'env'>,
  place: TokenPlace,
): Promise<GoogleTokens> {
  const google = await loadDriver('google-auth-library', 'BigQuery', () => import('google-auth-library'))
  const path = env[VARIABLE]
  const [credentials, secrets = []] = path
    ? keyIn(await readPrivateFile({ value: path, from: VARIABLE }), path)
    : []
  const options: GoogleAuthOptions = {
    scopes: SCOPES,
    // Else the library looks for one, and starts gcloud for it.
    projectId: place.project,
    ...(credentials && { credentials }),
    clientOptions: {
      transporterOptions: {
        fetchImplementation: (input, init) => answerOf(new URL(String(input)), init, { ...place, secrets }),
        retryConfig: { retry: 0 },
      },
    },
  }
  let auth = new google.GoogleAuth(options)
  const drop = () => {
    auth = new google.GoogleAuth(options)
  }
  return {
    drop,
    owner: async () => (await auth.getCredentials().catch(() => undefined))?.client_email,
    async headers() {
      let headers: Record<string, string>
      try {
        headers = Object.fromEntries(await auth.getRequestHeaders())
      } catch (error) {
        throw noToken(error)
      }
      const [, token] = TOKEN.exec(headers.authorization ?? '') ?? []
      if (token !== undefined) return { headers, secrets: [new Secret(token, VARIABLE), ...secrets] }
      // The library takes half an answer, and a page of a network's login, for one whose token is `undefined`.
      drop()
      throw cutShort('Google answered 200, but with no token')
    },
  }
}

function keyIn(text: string, path: string): [GoogleAuthOptions['credentials'], Secret[]] {
  try {
    const key = JSON.parse(text)
    if (typeof key?.type !== 'string') throw new RangeError('no type')
    const secrets = [key.private_key, key.refresh_token, key.client_secret].filter(
      (one) => typeof one === 'string',
    )
    return [key, secrets.map((one) => new Secret(one, VARIABLE))]
  } catch {
    // Without the cause: it can quote the file.
    throw new VendorError(`${path} (${VARIABLE}) does not hold Google's credentials`, {
      code: 'config',
      hint: 'give the JSON file of a service account, or of gcloud auth application-default login',
    })
  }
}

/** Asks for a token with posthaul's own transport: its proxy, its deadline, its words. */
async function answerOf(
  { origin, pathname, search }: URL,
  init: RequestInit | undefined,
  {
    baseUrl = origin,
    secrets,
    timeoutMs,
  }: Pick<TokenPlace, 'baseUrl' | 'timeoutMs'> & { readonly secrets: readonly Secret[] },
): Promise<Response> {
  const transport = new Transport({ origin: baseUrl, secrets })
  try {
    const { status, bytes, headers } = await transport.request({
      method: init?.method === 'POST' ? 'POST' : 'GET',
      path: `${pathname}${search}`,
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(init?.body && { body: String(init.body) }),
      timeoutMs,
    })
    return new Response(new Uint8Array(bytes), {
      status,
      headers: { 'content-type': headers['content-type'] ?? '' },
    })
  } finally {
    await transport.close()
  }
}

/** The library's error has the whole request in it, its signature too: only its words are told. */
function noToken(error: unknown): Error {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof NetworkError) return at
  const words = error instanceof Error ? error.message.split('\n')[0] : String(error)
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 400
  if (isPassing(status)) return cutShort(`Google gave no token: ${words}`)
  return new VendorError(`Google gives no token: ${words}`, {
    code: 'auth',
    hint: `set ${VARIABLE} to the file of a service account, or run: gcloud auth application-default login`,
  })
}
