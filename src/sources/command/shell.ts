import { spawn } from 'node:child_process'
import { basename } from 'node:path'
import { assertGoing, PosthaulError } from '../../errors.ts'
import { type Redactor, redactorOf } from '../../http/redact.ts'
import { Secret } from '../../http/secret.ts'
import type { Env } from '../../options/row.ts'
import { KIB } from '../../text/units.ts'
import { cutShort, VendorError } from '../vendor-client.ts'

/**
 * The command's process group dies with posthaul, however that ends: the watcher waits for the end of a pipe that only
 * posthaul holds open, so that after a kill no command goes on beside the one that the next run starts.
 */
const WATCHED = `(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 &
exec 3<&-
exec "$@"`

/** Shells in which a pipe fails where any of its commands fails. Without that, the end of a broken pipe looks whole. */
const PIPE_SHELLS = /^(?:ba|z|k|mk|da|a)?sh$/
const PIPEFAIL = '(set -o pipefail) 2>/dev/null && set -o pipefail\n'

/** A command that was told to stop is killed when it hasn't ended by then. */
const GRACE_MS = 2000
/** After its end, what it said is waited for as long: a process that outlives it can hold standard error open. */
const LAST_WORDS_MS = 500
/** Kept of standard error: enough for the lines that are shown. */
const SAID_BYTES = 8 * KIB
const SAID_LINES = 5

/** The codes of a shell for a command that it can't run. The next try would end as this one. */
const UNRUNNABLE: Readonly<Record<number, string>> = {
  126: 'make the file executable, or name the program that runs it',
  127: 'check the name of the program and PATH, which is that of posthaul; a relative path begins where posthaul was started',
}

interface ShellCall {
  readonly env: Env
  readonly signal: AbortSignal
}

interface End {
  readonly code: number | null
  readonly killedBy: NodeJS.Signals | null
  readonly error?: Error
}

/**
 * What a command writes to standard output, as it comes. Throws an error with the fate `retry` at its end unless the command
 * ended with 0, and code `config` if the shell could not run it. Whoever stops reading ends the command, and all that it started.
 */
export async function* outputOf(command: string, { env, signal }: ShellCall): AsyncGenerator<Buffer> {
  assertGoing(signal)
  const shell = env.SHELL || '/bin/sh'
  const text = PIPE_SHELLS.test(basename(shell)) ? PIPEFAIL + command : command
  const child = started(['-c', WATCHED, 'posthaul', shell, '-c', text], env)
  const stdout = child.stdout!
  const said = lastOf(child.stderr!)
  const ended = new Promise<End>((resolve) => {
    child.once('error', (error) => resolve({ code: null, killedBy: null, error }))
    child.once('exit', (code, killedBy) => resolve({ code, killedBy }))
  })
  child.stdio[3]!.on('error', () => undefined)
  const kill = (name: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name)
    } catch {
      // All of the group have ended.
    }
  }
  let late: NodeJS.Timeout | undefined
  const stop = () => {
    kill('SIGTERM')
    late = setTimeout(() => kill('SIGKILL'), GRACE_MS)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const chunk of stdout) yield chunk as Buffer
    const { code, killedBy, error } = await ended
    assertGoing(signal)
    if (code === 0) return
    kill('SIGKILL')
    const words = redactorFor(env).text(await said())
    const how = error?.message ?? (killedBy ? `was killed by ${killedBy}` : `ended with exit code ${code}`)
    const message = `the command ${how}${words ? `: ${words}` : ', and said nothing on standard error'}`
    const hint = UNRUNNABLE[code ?? 0]
    throw hint === undefined ? cutShort(message) : new VendorError(message, { code: 'config', hint })
  } finally {
    signal.removeEventListener('abort', stop)
    clearTimeout(late)
    kill('SIGKILL')
    await ended
    for (const stream of child.stdio) stream?.destroy()
  }
}

/** In a session of its own: no terminal asks for a password, and Ctrl-C reaches posthaul alone, which ends the command. */
function started(words: readonly string[], env: Env) {
  const options = { env: { ...env }, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] } as const
  try {
    return spawn('/bin/sh', words, { ...options, stdio: [...options.stdio] })
  } catch (cause) {
    throw new PosthaulError(`the command can't be started: ${(cause as Error).message}`, {
      code: 'config',
      hint: 'put a long command into a script',
      cause,
    })
  }
}

/** Keeps the last lines of a stream; they are given when it ends, or soon. */
function lastOf(stream: NodeJS.ReadableStream): () => Promise<string> {
  let kept = Buffer.alloc(0)
  let isCut = false
  stream.on('data', (chunk: Buffer) => {
    const all = Buffer.concat([kept, chunk])
    isCut ||= all.length > SAID_BYTES
    kept = all.subarray(-SAID_BYTES)
  })
  const closed = new Promise<void>((resolve) => stream.once('close', resolve))
  return async () => {
    let timer: NodeJS.Timeout | undefined
    const waited = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LAST_WORDS_MS)
    })
    await Promise.race([closed, waited])
    clearTimeout(timer)
    const lines = kept.toString('utf8').split(/[\r\n]+/)
    const whole = isCut && lines.length > 1 ? lines.slice(1) : lines
    return whole
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .slice(-SAID_LINES)
      .join(' / ')
  }
}

const SECRET_NAME = /pass|pwd|secret|token|credential|api_?key|_key$|private|auth|_dsn$/i
/** `postgres://reader:password@db`, and the same in `DSN="… password=…"`. */
const IN_VALUE = /:\/\/[^\s/@:]*:([^\s/@]+)@|\b(?:password|pwd)\s*=\s*'?([^\s;']+)/gi

/** Takes the secrets of an environment out of texts: by the names of variables, and passwords within addresses. */
export function redactorFor(env: Env): Redactor {
  const secrets: Secret[] = []
  for (const [name, value = ''] of Object.entries(env)) {
    if (SECRET_NAME.test(name)) secrets.push(new Secret(value, name))
    for (const [, inAddress, inWords] of value.matchAll(IN_VALUE)) {
      const found = (inAddress ?? inWords)!
      secrets.push(new Secret(found, name), new Secret(unescaped(found), name))
    }
  }
  return redactorOf(secrets)
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
