import { readFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'

/** The certificate of service.test and storage.test, signed by itself and good for a hundred years. */
export const CERTIFICATE = fileURLToPath(new URL('tls/cert.pem', import.meta.url))
/** The same of localhost, of the same key. */
export const LOCALHOST_CERTIFICATE = fileURLToPath(new URL('tls/localhost.pem', import.meta.url))
/** The certificate of localhost, as it was until 2021. */
export const EXPIRED_CERTIFICATE = fileURLToPath(new URL('tls/expired.pem', import.meta.url))
/** Of all of them. */
const KEY = fileURLToPath(new URL('tls/key.pem', import.meta.url))

interface TlsFront {
  readonly port: number
  /** Ends all connections, and shows this certificate from now on. */
  show(certificate: string): void
  close(): Promise<void>
}

/** A TLS server in front of a plain one. It passes what it decrypts to `port` of this machine. */
export async function tlsFront(port: number, certificate = CERTIFICATE): Promise<TlsFront> {
  const identity = (path: string) => ({ cert: readFileSync(path), key: readFileSync(KEY) })
  const clients = new Set<TLSSocket>()
  const server = createServer(identity(certificate), (client) => {
    clients.add(client)
    const upstream = connect(port, '127.0.0.1')
    upstream.pipe(client).pipe(upstream)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => undefined)
      one.on('close', () => other.destroy())
    }
    client.on('close', () => clients.delete(client))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    show: (path) => {
      server.setSecureContext(identity(path))
      for (const client of clients) client.destroy()
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
