import { PosthaulError } from '../errors.ts'
import { Secret } from '../http/index.ts'

/**
 * Reads the address of a healthcheck or webhook. It is a secret: who knows it can send in the user's name, so no message
 * repeats it. http is allowed, because such a service can be a host of one's own network.
 */
export function pingAddress(text: string, from: string): Secret {
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined
  const problem = !url
    ? 'is not an address'
    : url.username || url.password
      ? 'carries a user name or password'
      : undefined
  if (problem === undefined) return new Secret(text, from)
  throw new PosthaulError(`${from} ${problem}`, {
    code: from.startsWith('--') ? 'usage' : 'config',
    hint: 'write it as the service shows it, like https://hc-ping.com/your-id',
  })
}
