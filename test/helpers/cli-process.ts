import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { assertResults } from './results.ts'
import { stateHome } from './state-home.ts'

const BIN = fileURLToPath(new URL('../../bin/posthaul.js', import.meta.url))

/** How a process of the command line ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface CliProcess {
  readonly ended: Promise<Ended>
  /** What it has printed so far, on stdout and stderr. */
  printed(): string
  kill(signal: NodeJS.Signals): void
}

interface ProgramOptions {
  /** Beside the path and the state of the test, which every program has. */
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly cwd?: string | undefined
  /** For tests that run as root and need fewer rights. */
  readonly uid?: number | undefined
}

/** Starts a program as a process of its own. */
export function startProgram(
  program: string,
  argv: readonly string[],
  { env, cwd, uid }: ProgramOptions,
): CliProcess {
  const child = spawn(program, argv, {
    cwd,
    ...(uid !== undefined && { uid }),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '', ...stateHome(), ...env },
  })
  const out = { stdout: '', stderr: '' }
  // A piece can end within a character.
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      out[name] += text
    })
  const ended = once(child, 'close').then(([code, signal]) => {
    return { code, signal, ...out } as Ended
  })
  return { ended, printed: () => out.stdout + out.stderr, kill: (signal) => void child.kill(signal) }
}

/** Starts the built command line. */
export function startCli(
  argv: readonly string[],
  env?: Readonly<Record<string, string>>,
  cwd?: string,
  uid?: number,
): CliProcess {
  return startProgram(process.execPath, [BIN, ...argv], { env, cwd, uid })
}

/** Runs it to its end. What it prints with `--json` fits its schema. */
export async function runCli(
  argv: readonly string[],
  env?: Readonly<Record<string, string>>,
  cwd?: string,
  uid?: number,
): Promise<Ended> {
  const ended = await startCli(argv, env, cwd, uid).ended
  assertResults(argv, ended.stdout)
  return ended
}

const LOOK_MS = 3

/** Sends a process a signal as soon as `isTime` is true. Resolves when the process has ended, signalled or not. */
export async function signalWhen(
  cli: CliProcess,
  signal: NodeJS.Signals,
  isTime: () => boolean,
): Promise<Ended> {
  const looking = setInterval(() => {
    if (!isTime()) return
    clearInterval(looking)
    cli.kill(signal)
  }, LOOK_MS)
  return cli.ended.finally(() => clearInterval(looking))
}
