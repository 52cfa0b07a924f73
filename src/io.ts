import type { Readable, Writable } from 'node:stream'
import type { Drain } from './drain.ts'
import type { Telemetry } from './telemetry/telemetry.ts'

/** Everything outside the program that a command uses, so that a test can replace it. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number | undefined }
  /** Standard error, for plain text; log lines go through telemetry. It is the telemetry's: nothing is written past that. */
  readonly stderr: Telemetry['stderr']
  /** Where a run tells how it goes. A stage of a run shares that of the run. */
  readonly telemetry: Telemetry
  readonly env: Readonly<Record<string, string | undefined>>
  /** The words after `posthaul`, as typed; the source of the printed command that continues. */
  readonly argv: readonly string[]
  /** Aborted by the first SIGHUP, SIGINT or SIGTERM; `reason` is the signal's name. */
  readonly interrupted: AbortSignal
  /** Aborted once stdout has no reader any more. A command that only prints may stop then. */
  readonly unread: AbortSignal
  /** How the run ends once it is interrupted. */
  readonly drain: Drain
  /** The command is a stage of a run, which tells people how it went on. */
  readonly isStage?: true
}
