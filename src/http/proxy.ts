import { PosthaulError } from '../errors.ts'
import { isLoopback } from './loopback.ts'
import { Secret } from './secret.ts'

/** A proxy that the environment names. */
export interface HttpProxy {
  /** Without user and password. */
  readonly origin: string
  /** The environment variable that names it. */
  readonly variable: string
  /** The Proxy-Authorization header; undefined if the address has no user. */
  readonly authorization: Secret | undefined
  /** The parts of the address that must never be shown. */
  readonly secrets: readonly Secret[]
}

// The order of curl and undici: lower case first; the proxy for http also serves https if it is the only one.
const HTTP = ['http_proxy', 'HTTP_PROXY']
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  'http:': HTTP,
  'https:': ['https_proxy', 'HTTPS_PROXY', ...HTTP],
}

/** The proxy for requests to an origin; undefined if they go directly, as those to loopback always do. */
export function proxyOf(origin: string, env: NodeJS.ProcessEnv = process.env): HttpProxy | undefined {
  const target = new URL(origin)
  const variable = VARIABLES[target.protocol]?.find((name) => env[name]?.trim())
  if (variable === undefined || isLoopback(target.hostname)) return undefined
  if (isExcepted(target, env.no_proxy ?? env.NO_PROXY ?? '')) return undefined
  return parse(env[variable]!.trim(), variable)
}

/** True if NO_PROXY names the host: by itself, by its domain, or with its port. `*` names all hosts. */
function isExcepted({ protocol, hostname, port }: URL, list: string): boolean {
  const at = port || (protocol === 'https:' ? '443' : '80')
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      const [, name, only = at] = /^(.+?)(?::(\d+))?$/.exec(entry)!
      const domain = name!.replace(/^\*?\./, '')
      return name === '*' || (only === at && (hostname === domain || hostname.endsWith(`.${domain}`)))
    })
}

function parse(address: string, variable: string): HttpProxy {
  try {
    const url = new URL(address.includes('://') ? address : `http://${address}`)
    if (!/^https?:$/.test(url.protocol)) throw new TypeError('not http')
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
    const pair = new Secret(`${user}:${password}`, variable)
    const token = `Basic ${Buffer.from(pair.reveal()).toString('base64')}`
    return {
      origin: url.origin,
      variable,
      authorization: user === '' ? undefined : new Secret(token, variable),
      secrets: password === '' ? [] : [pair, new Secret(password, variable)],
    }
  } catch {
    // The cause is left out: it repeats the address, which can hold a password.
    throw new PosthaulError(`${variable} is not the address of an http proxy`, {
      code: 'config',
      hint: 'write it like http://proxy.example.com:3128',
    })
  }
}
