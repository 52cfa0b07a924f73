import { readFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { createServer } from 'node:tls'
import { fileURLToPath } from 'node:url'

/** The certificate of service.test and storage.test, signed by itself and good for a hundred years. */
export const CERTIFICATE = fileURLToPath(new URL('tls/cert.pem', import.meta.url))
const KEY = fileURLToPath(new URL('tls/key.pem', import.meta.url))

/** A TLS server in front of a plain one. It passes what it decrypts to `port` of this machine. */
export async function tlsFront(port: number): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer({ cert: readFileSync(CERTIFICATE), key: readFileSync(KEY) }, (client) => {
    const upstream = connect(port, '127.0.0.1')
    upstream.pipe(client).pipe(upstream)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => undefined)
      one.on('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
