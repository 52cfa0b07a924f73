import type { Readable } from 'node:stream'
import type { PosthaulError } from '../errors.ts'
import type { Clock } from '../http/clock.ts'
import type { Env, Row, Values } from '../options/row.ts'
import type { ExportOrder } from './source.ts'

/** A vendor that posthaul exports from. This row is all that export, run, doctor and their help know of it. */
export interface VendorRow<Name extends string = string, R extends readonly Row[] = readonly Row[]> {
  /** The name of its command and of its preset. */
  readonly name: Name
  /** What it exports, for the list of commands. */
  readonly description: string
  /** What the help of its command says besides the options. */
  readonly help: string
  /** The variables that its credentials are in, for a sentence. */
  readonly credentials: string
  /** Variables of which one is set where a user has credentials. */
  readonly signs: readonly string[]
  /** The options of its command, in the order of its help. */
  readonly rows: R
  /** Those of them that a migration file takes besides those of every export (`SHARED_ROWS`). */
  readonly settings: readonly Row[]
  /** Settings of a migration file that stand for variables: name, variable, and help. */
  readonly variables: Readonly<Record<string, readonly [variable: string, help: string]>>
  /** The preset that reads the records, by the settings of a migration file; left out for the vendor's own. */
  preset?(settings: { readonly like?: unknown }): string | undefined
  /** Lines of a new migration file: the settings that most users need. */
  readonly firstLines: readonly string[]
}

/** A vendor's row, and the code that asks it, which is loaded when it is needed. */
export interface VendorSource<Name extends string = string, R extends readonly Row[] = readonly Row[]>
  extends VendorRow<Name, R> {
  load(): Promise<VendorWork<Values<R>>>
}

export interface VendorWork<V> {
  /** What the values of the options order. Code `auth` or `config` for credentials that are not whole. */
  order(values: V, world: World): Promise<OpenedOrder>
  /**
   * The places where credentials are tried: several, of which one is to let them in, where no region is named. Each is
   * asked for the very thing that an export asks for, but for as little of it as there is. Code `auth` or `config` for
   * credentials that are not whole; undefined if too little is known to ask anybody.
   */
  logins(project: VendorProject, tools: LoginTools): Promise<readonly Login[] | undefined>
}

/** An order, and what to close after it. */
interface OpenedOrder {
  readonly order: ExportOrder
  /** What stands against it: a run throws it before it begins, a dry run after its plan. */
  readonly against?: PosthaulError | undefined
  readonly close?: () => Promise<void>
}

/** Where credentials are read from: the environment, or the files that `<name>_FILE` names, never an option. */
export interface CredentialsFrom {
  readonly env: Env
  readonly stdin: Readable & { isTTY?: boolean }
}

/** What an order may use before it runs. */
export interface World extends CredentialsFrom {
  readonly interrupted: AbortSignal
  /** Tells the user something that is not a failure. */
  note(text: string): void
}

export interface LoginTools extends CredentialsFrom {
  readonly clock: Clock
  /** The longest that one server is waited for, in milliseconds. */
  readonly patienceMs: number
}

/** A vendor's project, as far as options or a migration file name it. */
export interface VendorProject {
  readonly vendor: string
  readonly region?: string | undefined
  readonly baseUrl?: string | undefined
  /** The address of a vendor that everybody hosts, and the number of its site. */
  readonly url?: string | undefined
  readonly site?: string | undefined
  /** The other options of its export. */
  readonly settings?: SourceSettings
  /** Where its export ends, in milliseconds since the epoch. */
  readonly until?: number
}

/** Options of an export as a migration file has them, by name with underscores. */
type SourceSettings = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** A place where a vendor can be asked, and what its answer says: who it is that was let in. */
export interface Login {
  /** As a user calls it: `Mixpanel (eu)`. */
  readonly name: string
  readonly origin: string
  /** What is said of one that answered; `lets the credentials in` if left out. */
  readonly works?: string
  /** Asks once. Resolves to what is known of the project then, throws a VendorError or a NetworkError otherwise. */
  ask(signal: AbortSignal): Promise<string | undefined>
}

/** A vendor's row with the code that asks it, which takes the values of the row's options. */
export function withWork<Name extends string, R extends readonly Row[]>(
  row: VendorRow<Name, R>,
  load: VendorSource<Name, R>['load'],
): VendorSource<Name, R> {
  return { ...row, load }
}
