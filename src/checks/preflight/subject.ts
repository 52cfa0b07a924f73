import type { Readable } from 'node:stream'
import { type Clock, systemClock } from '../../http/clock.ts'
import type { Options } from '../../options/options.ts'
import type { Env, Values } from '../../options/row.ts'
import type { OPTIONAL_API_ROWS, SenderValues } from '../../options/service-settings.ts'
import type { VendorProject } from '../../sources/vendor-source.ts'
import { MS_PER_SECOND } from '../../text/units.ts'

/** The options that say where the service is, and with which keys. */
export type ServiceSubject = Options<
  SenderValues & Values<typeof OPTIONAL_API_ROWS> & { readonly personalKeyStdin?: boolean }
>

/** A folder or a bucket that is read or written. */
export interface NamedPlace {
  /** What it is to the user: `the dataset`, `the state of the import`. */
  readonly what: string
  /** A folder, or `s3://bucket/prefix`, with `?endpoint=` where it has one. */
  readonly location: string
  readonly use: 'reads' | 'writes'
  /** Two runs must be kept apart there, by writes on a condition. */
  readonly conditional?: boolean
}

/** What is carried: records or events in files, folders and buckets, or a dataset. */
export type Input = { readonly files: readonly string[] } | { readonly dataset: string }

/**
 * What is known of a migration before it begins: plain data, made from options or from a file. What is left out is not
 * looked at.
 */
export interface Subject {
  /** Where the service is. Without it nothing is asked there. */
  readonly service?: ServiceSubject
  /** Events are sent: then settings of the service that are missing are errors, else notes. */
  readonly sends: boolean
  /** The route that events take; `batch` if it is left out. */
  readonly via?: 'batch' | 'v1'
  /** What is exported from: mostly one, or none. */
  readonly sources: readonly VendorProject[]
  readonly places: readonly NamedPlace[]
  /** Undefined where it is not there yet, as before an export. */
  readonly input?: Input
}

/** What the checks touch of the world, so that a test can replace it. */
export interface Tools {
  readonly env: Env
  readonly stdin: Readable & { isTTY?: boolean }
  /** Ends all checks. */
  readonly signal: AbortSignal
  readonly clock: Clock
  /** The version of Node, such as `22.11.0`. */
  readonly node: string
  /** The longest that one server is waited for, in milliseconds. */
  readonly patienceMs: number
}

const PATIENCE_MS = 15 * MS_PER_SECOND

/** The tools of a run of the program. */
export function systemTools(io: Pick<Tools, 'env' | 'stdin'> & { readonly interrupted: AbortSignal }): Tools {
  return {
    env: io.env,
    stdin: io.stdin,
    signal: io.interrupted,
    clock: systemClock,
    node: process.versions.node,
    patienceMs: PATIENCE_MS,
  }
}
