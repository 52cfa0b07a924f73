import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { compiled } from './paths.ts'

/** The process of a sink. */
export class Sink {
  readonly origin: string
  readonly #process: ChildProcess

  private constructor(origin: string, process: ChildProcess) {
    this.origin = origin
    this.#process = process
  }

  /** Starts a sink. If a path is given, the sink keeps the bodies there. */
  static async start(path?: string): Promise<Sink> {
    const args = [compiled('contenders/sink.ts'), ...(path === undefined ? [] : [path])]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const [address] = (await once(child.stdout!.setEncoding('utf8'), 'data')) as [string]
    return new Sink(address.trim(), child)
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.stdin!.end()
    await ended
  }
}
