import { Readable, Writable } from 'node:stream'
import { Drain } from '../drain.ts'
import type { Io } from '../io.ts'
import { Telemetry } from '../telemetry/telemetry.ts'
import type { CallOptions } from './service.ts'

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
