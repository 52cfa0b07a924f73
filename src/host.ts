import { Readable, Writable } from 'node:stream'
import { Drain } from './drain.ts'
import type { Io } from './io.ts'
import { Telemetry } from './telemetry/telemetry.ts'

/** What every long call of the library takes. */
export interface CallOptions {
  /** Ends the call: it saves its state, and rejects with the code `interrupted`. */
  readonly signal?: AbortSignal | undefined
  /**
   * Told what a command would print: progress each 30 s, retries, remarks. Without it nothing is said. What it throws is
   * ignored: nobody's import ends because a message could not be shown.
   */
  readonly onMessage?: ((text: string) => void) | undefined
  /** Where settings are taken from that are not given, as commands take them: `process.env`. Default: nothing. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

/** Where the service is, and the keys to it. */
export interface ServiceOptions {
  /** The project's key, `phc_…`: whose the events are. */
  readonly projectKey?: string | undefined
  /** A personal key, `phx_…`: with it an import checks whose the project key is, and watches that events arrive. */
  readonly personalKey?: string | undefined
  /** The region of the cloud; or `host`. */
  readonly region?: 'us' | 'eu' | undefined
  /** The address of an installation; in the cloud any of a region's two addresses. */
  readonly host?: string | undefined
  /** The address for events, where it is another one. */
  readonly ingestHost?: string | undefined
  /** The number of the project; needed where a personal key sees several. */
  readonly projectId?: string | number | undefined
}

/**
 * The world of a command that a program runs: no process of its own, nothing printed, no environment but the one that is
 * given. `argv` is the command line that would do the same; checkpoints keep it for `posthaul status`.
 * @internal
 */
export function hostOf({ signal, onMessage, env = {} }: CallOptions, argv: readonly string[] = []): Io {
  const interrupted = signal ?? new AbortController().signal
  const telemetry = new Telemetry(tellingTo(onMessage), 'plain')
  return {
    stdin: Readable.from([]),
    stdout: tellingTo(undefined),
    stderr: telemetry.stderr,
    telemetry,
    env,
    argv,
    interrupted,
    unread: new AbortController().signal,
    drain: new Drain(interrupted),
  }
}

/** A stream whose texts go to a function, each in one line. */
function tellingTo(tell: ((text: string) => void) | undefined): Writable {
  return new Writable({
    decodeStrings: false,
    write(text, _encoding, done) {
      try {
        tell?.(
          String(text)
            .trim()
            .replaceAll(/\s*\n\s*/g, ' '),
        )
      } catch {}
      done()
    },
  })
}

/**
 * The last result of a command's work; what ended the work is thrown.
 * @internal
 */
export async function lastOf<T>(work: AsyncIterable<T>): Promise<T> {
  let last: T | undefined
  for await (const result of work) last = result
  return last!
}
