import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ServiceOptions, Told } from './service.ts'

/** The process of a soak's service. */
export class ServiceProcess {
  readonly origin: string
  readonly #child: ChildProcess

  private constructor(origin: string, child: ChildProcess) {
    this.origin = origin
    this.#child = child
  }

  static async start(options: ServiceOptions): Promise<ServiceProcess> {
    const child = fork(fileURLToPath(new URL('service.js', import.meta.url)), [JSON.stringify(options)])
    return new ServiceProcess((await answerOf(child)) as string, child)
  }

  /** Throws once the service has ended: what is sent then can never arrive. */
  assertUp(): void {
    const { exitCode, signalCode } = this.#child
    if (exitCode === null && signalCode === null) return
    throw new Error(`the service of the soak ended with ${exitCode ?? signalCode}`)
  }

  async told(): Promise<Told> {
    this.#child.send('tell')
    return (await answerOf(this.#child)) as Told
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.disconnect()
    await ended
  }
}

/** The next message of a child. Rejects if it ends instead. */
async function answerOf(child: ChildProcess): Promise<unknown> {
  const stop = new AbortController()
  const { signal } = stop
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message),
      once(child, 'exit', { signal }).then(([code]) => {
        throw new Error(`the service of the soak ended with ${code}`)
      }),
    ])
  } finally {
    stop.abort()
  }
}
