import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Ended } from './cli-process.ts'
import { assertResults } from './results.ts'
import { stateHome } from './state-home.ts'

const HOST = fileURLToPath(new URL('command-host.mjs', import.meta.url))

/**
 * One process that runs many command lines of the built program, one after the other: to start Node and to load the
 * program costs more than most commands do. What is killed, measured or disturbed is a process of its own: `startCli`.
 */
export class CommandHost {
  readonly #env: Readonly<Record<string, string>>
  readonly #execArgv: readonly string[]
  #child: ChildProcess | undefined
  #last: Promise<unknown> = Promise.resolve()

  /** `env`, `execArgv`: what Node itself is started with. Worker threads get `execArgv` too. */
  constructor(env: Readonly<Record<string, string>> = {}, execArgv: readonly string[] = []) {
    this.#env = env
    this.#execArgv = execArgv
  }

  /** Runs a command line to its end, in an environment and a folder of its own. What it prints with `--json` fits its schema. */
  async run(
    argv: readonly string[],
    env: Readonly<Record<string, string>> = {},
    cwd = process.cwd(),
    stdin = '',
  ): Promise<Ended> {
    const call = { argv, env: { PATH: process.env.PATH ?? '', ...stateHome(), ...env }, cwd, stdin }
    const ended = this.#last.then(() => this.#ask(call))
    this.#last = ended.catch(() => undefined)
    const held = await ended
    assertResults(argv, held.stdout)
    return held
  }

  close(): void {
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }

  async #ask(call: object): Promise<Ended> {
    this.#child ??= fork(HOST, { env: { ...process.env, ...this.#env }, execArgv: [...this.#execArgv] })
    const child = this.#child
    const over = new AbortController()
    const gone = once(child, 'exit', over).then(([code]) => {
      this.#child = undefined
      throw new Error(`the process of the commands ended with ${code}`)
    })
    try {
      child.send(call)
      const [ended] = await Promise.race([once(child, 'message', over), gone])
      return { ...ended, signal: null }
    } finally {
      gone.catch(() => undefined)
      over.abort()
    }
  }
}

/** Of a worker of the tests, whatever number of files it runs: what is warm stays so. It ends with the worker. */
const workers = globalThis as { commandHost?: CommandHost }
workers.commandHost ??= new CommandHost({}, [
  // Where all cores are busy, threads that collect beside it wait for each other more than they help.
  ...['--single-threaded-gc', '--min-semi-space-size=16', '--max-semi-space-size=64'],
])
const shared = workers.commandHost

/** Runs the built command line to its end, in a process that all such runs of a worker share. */
export const runHosted: CommandHost['run'] = (...call) => shared.run(...call)
