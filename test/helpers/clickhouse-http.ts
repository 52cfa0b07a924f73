import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { chdbFolder } from './chdb-folder.ts'

/** What happens to the next answers with rows, one each. */
export interface AnswerFault {
  /** How the answer ends after so many bytes; `silent`: it never does. See ENDINGS of clickhouse-http.mjs. */
  readonly kind?: 'row' | 'text' | 'tag' | 'broken tag' | 'cut' | 'short' | 'silent'
  readonly after?: number
  /** The server's words. */
  readonly text?: string
  /** Milliseconds between two pieces. */
  readonly slow?: number
}

interface SeenRequest {
  readonly sql: string
  readonly parameters: Readonly<Record<string, string>>
}

interface HttpOptions {
  readonly user?: string
  readonly password?: string
  /** 0 for any. */
  readonly port?: number
  /** Where it keeps its tables; in memory if left out. */
  readonly path?: string
  /** Statements that its session begins with, such as `SET readonly = 1`. */
  readonly before?: readonly string[]
}

/** A ClickHouse 26.7 that is asked over HTTP. Its zone is not UTC: nothing may depend on that. */
export class ClickHouseHttp {
  readonly port: number
  readonly #child: ChildProcess
  readonly #options: HttpOptions
  #asking: Promise<unknown> = Promise.resolve()
  /** Called with each statement that comes over HTTP. */
  onRequest: (sql: string) => void = () => undefined

  private constructor(child: ChildProcess, port: number, options: HttpOptions) {
    this.#child = child
    this.port = port
    this.#options = options
    child.on('message', (message: { request?: string }) => {
      if (message.request !== undefined) this.onRequest(message.request)
    })
  }

  static async start(options: HttpOptions = {}): Promise<ClickHouseHttp> {
    const folder = await chdbFolder()
    const settings = JSON.stringify({ user: 'default', password: '', port: 0, ...options })
    const script = fileURLToPath(new URL('./clickhouse-http.mjs', import.meta.url))
    const child = spawn(process.execPath, [script, folder, settings], {
      cwd: folder,
      env: { ...process.env, TZ: 'America/Los_Angeles' },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    return new ClickHouseHttp(child, port, options)
  }

  get url(): string {
    const { user = 'default', password = '' } = this.#options
    return `http://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${this.port}`
  }

  /** Runs a statement past HTTP. */
  run(sql: string): Promise<string> {
    return this.#ask({ sql })
  }

  /** The requests since it was asked last. */
  async seen(): Promise<readonly SeenRequest[]> {
    return this.#ask({ ask: 'seen' })
  }

  /** How many answers were given up because their client was gone. */
  cancelled(): Promise<number> {
    return this.#ask({ ask: 'cancelled' })
  }

  fail(...fault: readonly AnswerFault[]): void {
    this.#child.send({ fault })
  }

  /** Ends it at once, as a machine ends that loses its power. */
  async kill(): Promise<void> {
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = once(this.#child, 'exit')
    this.#child.disconnect()
    await gone
  }

  #ask<T>(message: object): Promise<T> {
    const answer = this.#asking.then(async () => {
      this.#child.send(message)
      for (;;) {
        const [{ answer, error }] = (await once(this.#child, 'message')) as [{ answer?: T; error?: string }]
        if (error !== undefined) throw new Error(error)
        if (answer !== undefined) return answer
      }
    })
    this.#asking = answer.catch(() => undefined)
    return answer
  }
}
