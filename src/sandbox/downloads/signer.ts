import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { RunFile } from './runs.ts'

/** The first part of every signed address. */
export const BUCKET = 'posthaul-sandbox-downloads'
const ADDRESS_MS = 15 * 60_000

/** Signs addresses under which a file can be had without a key, for a while. */
export class AddressSigner {
  readonly #secret = randomBytes(32)

  /** Path and query of a file. `now` in ms since the epoch. */
  sign({ key, expiresAt }: RunFile, now: number): string {
    const seconds = Math.max(1, Math.floor(Math.min(ADDRESS_MS, expiresAt - now) / 1000))
    const path = `/${BUCKET}/${key.split('/').map(encodeURIComponent).join('/')}`
    const name = key.slice(key.lastIndexOf('/') + 1)
    const query = new URLSearchParams({
      'response-content-disposition': `attachment; filename="${name}"`,
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Date': new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, ''),
      'X-Amz-Expires': String(seconds),
      'X-Amz-SignedHeaders': 'host',
    })
    query.set('X-Amz-Signature', this.#signature(key, query))
    return `${path}?${query}`
  }

  /** True if this object signed the address, whether it has expired or not. */
  knows(key: string, query: URLSearchParams): boolean {
    const given = Buffer.from(query.get('X-Amz-Signature') ?? '')
    const right = Buffer.from(this.#signature(key, query))
    return given.length === right.length && timingSafeEqual(given, right)
  }

  #signature(key: string, query: URLSearchParams): string {
    const signed = [...query].filter(([name]) => name !== 'X-Amz-Signature')
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify([key, signed]))
      .digest('hex')
  }
}

/** When a signed address expires, in ms since the epoch. */
export function expiryOf(query: URLSearchParams): number {
  const [date = '', seconds] = [query.get('X-Amz-Date') ?? '', query.get('X-Amz-Expires')]
  const iso = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  return Date.parse(iso) + Number(seconds) * 1000
}
