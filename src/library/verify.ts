import type { NamedEvent } from '../checks/verification.ts'
import { OPTIONS } from '../commands/verify/index.ts'
import { run } from '../commands/verify/run.ts'
import { PosthaulError } from '../errors.ts'
import { type CallOptions, hostOf, lastOf, type ServiceOptions } from '../host.ts'
import type { VerifyResult } from '../imports/verify-result.ts'
import { givenOptions } from '../options/given.ts'
import { partKeys } from './service.ts'

/** What is compared with the project: datasets, and files that were imported as they are. They are counted together. */
export interface VerifySource {
  readonly datasets?: readonly string[]
  readonly files?: readonly string[]
}

/** How it is compared. Each is the option of `posthaul verify` of that name; `personalKey` is needed. */
export interface VerifyOptions extends Omit<ServiceOptions, 'projectKey' | 'ingestHost'>, CallOptions {
  /** How many events are compared value by value; `all` for every one. */
  readonly sample?: number | 'all' | undefined
  /** How long to wait for events that have not arrived yet: `10m`. */
  readonly wait?: string | undefined
  /** The file for missing events. */
  readonly missing?: string | undefined
  readonly checkpoint?: string | undefined
  readonly state?: string | undefined
  readonly with?: readonly string[] | undefined
  readonly bigIntegers?: 'keep' | 'string' | undefined
}

/** What the project has of the events. */
export interface VerifyReport {
  /** True if it has the very events, each once, every value that was compared is the same, and every line was an event. */
  readonly equal: boolean
  readonly days: number
  readonly events: {
    readonly here: number
    readonly service: number
    /** Undefined: not looked for, as they are too many. */
    readonly missing: number | undefined
    readonly unknown: number | undefined
    /** Events that are there at another time of their day. */
    readonly moved: number | undefined
    /** How many events more than there are the service counts: it has some under two times. */
    readonly doubled: number
    /** Events of names that the service keeps in another table: they were compared with nothing. */
    readonly apart: number
  }
  /** Events that are older than the project's retention shows: not asked for, and not missing; undefined if there are none. */
  readonly hidden:
    | { readonly events: number; readonly months: number; readonly shownFrom: string }
    | undefined
  readonly differences: ReadonlyArray<{
    readonly day: string
    /** Null where the events of a day were compared whatever their names. */
    readonly event: string | null
    readonly here: number
    readonly service: number
  }>
  /** The first events that are missing, and the first that no input has. */
  readonly missing: readonly NamedEvent[]
  readonly unknown: readonly NamedEvent[]
  /** The file with all missing events, for `importEvents`; undefined if none is missing. */
  readonly missingFile: string | undefined
  readonly values:
    | { readonly compared: number; readonly absent: number; readonly changed: number }
    | undefined
  /** Events that name a group which queries don't show. */
  readonly hiddenGroups: number
  /** What could not be asked, and why. */
  readonly unasked: readonly string[]
}

/** Compares events with what arrived in the project, by the code of `posthaul verify`. A difference is no error: see `equal`. */
export async function verify(source: VerifySource, options: VerifyOptions): Promise<VerifyReport> {
  const { datasets = [], files = [] } = source
  if (datasets.length + files.length === 0) {
    throw new PosthaulError('nothing to verify: name datasets or files', { code: 'usage' })
  }
  const { rows, call, sources } = partKeys(options)
  const host = hostOf(call, ['verify', ...datasets, ...(files.length > 0 ? ['--file', ...files] : [])])
  const parsed = givenOptions(OPTIONS, { ...rows, file: files }, sources)
  return reportOf(await host.drain.within(lastOf(run({ ...parsed, args: datasets }, host))))
}

function reportOf(found: VerifyResult): VerifyReport {
  const { equal, days, events, hidden, differences, values, persons, unasked } = found
  const { missing, unknown, moved } = events
  return {
    equal,
    days,
    events: {
      here: events.here,
      service: events.service,
      missing: missing ?? undefined,
      unknown: unknown ?? undefined,
      moved: moved ?? undefined,
      doubled: events.doubled,
      apart: events.apart,
    },
    hidden: hidden
      ? { events: hidden.events, months: hidden.months, shownFrom: hidden.shown_from }
      : undefined,
    differences: differences.map(({ day, event, here, service }) => ({ day, event, here, service })),
    missing: found.missing.map(namedOf),
    unknown: found.unknown.map(namedOf),
    missingFile: found.missing_file ?? undefined,
    values: values
      ? { compared: values.compared, absent: values.absent, changed: values.changed }
      : undefined,
    hiddenGroups: (persons?.groups ?? []).reduce((sum, { events }) => sum + events.hidden, 0),
    unasked,
  }
}

function namedOf({ day, event, uuid, distinct_id: distinctId }: VerifyResult['missing'][number]): NamedEvent {
  return { day, event, uuid, distinctId }
}
