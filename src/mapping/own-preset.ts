import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { isJson } from '../record/json-values.ts'
import { canonicalUuid } from '../record/uuid.ts'
import {
  type Draft,
  Filtered,
  type Preset,
  type PresetOptions,
  type RecordView,
  Rejection,
  type Target,
} from './preset.ts'

/**
 * The mapping of one vendor, as somebody outside posthaul writes it: tables first, functions for what a table can't say.
 * It reads no clock and no file, and gives a record the same event each time: uuids are made from it.
 */
export interface OwnPreset {
  /** Written to every event as `analytics_source`, and part of the names of vendor's properties: `acme`. */
  readonly vendor: string
  /** Raise it when the preset gives some record another name, uuid, distinct_id or time. Default: 1. */
  readonly rules?: number
  /**
   * Dotted path in the record -> target(s): 'name' a property, 'set:name' and 'once:name' a property of the person,
   * '@slot' a value that the functions ask for, [] nowhere, '*' its own name. A last segment '*' means every other member
   * of that object. Without a rule a member of the record's top level is a property of its own name.
   */
  readonly fields: Readonly<Record<string, Target>>
  /** Dotted paths of values that a function reads as an object or array though they may be text that holds JSON. */
  readonly unpack?: readonly string[]
  /** The member that holds an array of which each element is an event: a visit's actions. */
  readonly explode?: { readonly member: string }
  /** The vendor's name of an event -> PostHog's. Others keep theirs. */
  readonly events?: Readonly<Record<string, string>>
  /** The vendor's words for "nothing", left out as null and '' are: `(none)`. */
  readonly empty?: readonly string[]
  /** Switch name -> help, for `--with`. */
  readonly switches?: Readonly<Record<string, string>>
  /** The type of groups whose records name none, for `--group-type`. */
  readonly groupType?: string
  /** The event's name. Undefined or '' rejects the record. */
  eventName(record: RecordView, options: PresetOptions): string | undefined
  /** The record's own id as a UUID. Undefined, or without this function: one is made of its content. */
  uuid?(record: RecordView, options: PresetOptions): string | undefined
  distinctId(record: RecordView): string | undefined
  /** The anonymous id that this event links to its distinct_id; undefined for none. */
  anonymousId?(record: RecordView, distinctId: string): string | undefined
  /** Whom the anonymous id is linked to where it is the event's own distinct_id. */
  userId?(record: RecordView): string | undefined
  /** Microseconds since the epoch: `parseTime` reads the usual forms. Throws for a time that can't be read, never guesses. */
  timestamp(record: RecordView, options: PresetOptions): number
  /** What the tables can't say: groups, names that depend on other values, records left out (`throw new Filtered(reason)`). */
  perform?(record: RecordView, draft: Draft, options: PresetOptions): void
}

const path = z.string().regex(/^(?:\*|[^.]+(?:\.[^.]+)*)$/, 'expected a dotted path, such as properties.plan')
const name = z.string().min(1, 'expected a name')
const targets = z.union([z.string(), z.array(z.string())], 'expected a target, or a list of targets')
const call = z.custom<unknown>((value) => typeof value === 'function', 'expected a function')

const schema = z.strictObject({
  vendor: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'expected a word like acme-analytics'),
  rules: z.int().min(1).optional(),
  fields: z.record(path, targets, 'expected an object of paths and targets'),
  unpack: z.array(path).optional(),
  explode: z.strictObject({ member: name }).optional(),
  events: z.record(z.string(), name).optional(),
  empty: z.array(z.string()).optional(),
  switches: z
    .record(z.string().regex(/^[a-z][a-z0-9-]*$/, 'expected a word like keep-sessions'), name)
    .optional(),
  groupType: name.optional(),
  eventName: call,
  uuid: call.optional(),
  distinctId: call,
  anonymousId: call.optional(),
  userId: call.optional(),
  timestamp: call,
  perform: call.optional(),
})

/** Checks a preset, and returns it. Code `config` names the member that can't be. */
export function definePreset(preset: OwnPreset): OwnPreset {
  assertOwnPreset(preset, 'the preset')
  return preset
}

/** Throws `config` for what is no preset. `from` is what messages call it. */
function assertOwnPreset(value: unknown, from: string): asserts value is OwnPreset {
  const { success, error } = schema.safeParse(value)
  if (success) return
  // A member that no preset has is most likely one that is missing, mistyped.
  const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0]
  const where = issue?.path.map(String).join('.') || 'it'
  const inner = issue?.code === 'invalid_key' ? issue.issues[0] : issue
  const what = inner?.message.replace(/^Invalid input: /, '')
  throw new PosthaulError(`${from}: ${where}: ${what}`, {
    code: 'config',
    hint: 'docs/presets.md says what each member of a preset is',
  })
}

/** The reason of records on which a function of somebody's own preset failed. */
const PRESET_FAILED = 'preset_failed'

/**
 * A preset, whose functions somebody else wrote, as the engine runs it. What they throw, and what they return that is no such
 * value, makes a reject of the record under way, which names the function: nothing of it ends the run, and none of it is
 * sent. Throws `config` for anything that isn't a preset.
 */
export function enginePreset(value: unknown, from: string): Preset {
  assertOwnPreset(value, from)
  const { rules = 1, events = {}, empty = [], anonymousId, perform, userId, uuid } = value
  return {
    recognises: [],
    ...value,
    rules,
    events,
    empty,
    eventName: guard('eventName', value.eventName.bind(value), textOrNone),
    distinctId: guard('distinctId', value.distinctId.bind(value), textOrNone),
    // Ids are text to functions of somebody else.
    anonymousId: guard('anonymousId', (record, id) => anonymousId?.call(value, record, id.text), textOrNone),
    ...(userId && { userId: guard('userId', userId.bind(value), textOrNone) }),
    uuid: guard('uuid', (record, options) => uuid?.call(value, record, options), uuidOrNone),
    timestamp: guard('timestamp', value.timestamp.bind(value), micros),
    perform: guard(
      'perform',
      (record, draft, options) =>
        perform?.call(value, record, new CheckedDraft(draft) as CheckedDraft & Draft, options),
      nothing,
    ),
  }
}

function guard<Args extends readonly unknown[], Result>(
  name: string,
  call: (...args: Args) => unknown,
  check: (value: unknown) => Result,
): (...args: Args) => Result {
  return (...args) => {
    try {
      return check(call(...args))
    } catch (error) {
      throw toldOf(error, name)
    }
  }
}

/** A preset can have another copy of posthaul, whose classes are not these. */
function toldOf(error: unknown, name: string): Error {
  if (!(error instanceof Error)) return new Rejection(PRESET_FAILED, `${name} threw ${String(error)}`)
  const kind = error.constructor.name
  if ('reason' in error && typeof error.reason === 'string' && /^[a-z][a-z0-9_]{0,59}$/.test(error.reason)) {
    if (kind === Rejection.name) return new Rejection(error.reason, error.message)
    if (kind === Filtered.name) return new Filtered(error.reason)
  }
  // What parseTime throws.
  if (name === 'timestamp' && kind === RangeError.name) return error
  return new Rejection(PRESET_FAILED, `${name} failed: ${error.message}`)
}

function textOrNone(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw new TypeError(`it returned ${kindOf(value)}, not text or undefined`)
}

function uuidOrNone(value: unknown): string | undefined {
  const uuid = typeof value === 'string' ? canonicalUuid(value) : undefined
  if (value === undefined || uuid !== undefined) return uuid
  throw new TypeError(`it returned ${kindOf(value)} that is no UUID`)
}

function micros(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw new TypeError(`it returned ${kindOf(value)}, not a whole number of microseconds`)
}

/** What an async function returns would come too late. */
function nothing(value: unknown): void {
  if (value instanceof Promise) throw new TypeError('it is async, and a record can’t wait for it')
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return value instanceof Promise ? 'a promise' : `a ${typeof value}`
}

/** Throws for what can't be an argument. `name` is the first one of the call. */
type Check = (value: unknown, name: unknown) => void

/** What the arguments of each function have to be. Those that no check stands for are checked by the draft. */
const ARGUMENTS: Readonly<Record<Exclude<keyof Draft, 'event' | 'distinctId'>, readonly Check[]>> = {
  has: [text],
  json: [text],
  property: [text, json],
  text: [text, text],
  copy: [text, text],
  set: [text, json],
  setOnce: [text, json],
  describePerson: [],
  session: [],
  group: [text, text],
  groupProperties: [text, text, object],
  leaveOut: [text],
  unusable: [text],
}

/** A draft that takes only what keeps the event's line whole. It has the functions of `ARGUMENTS`. */
class CheckedDraft {
  readonly #draft: Draft

  static {
    for (const [name, checks] of Object.entries(ARGUMENTS)) {
      const value = function (this: CheckedDraft, ...given: unknown[]): unknown {
        for (const [at, check] of checks.entries()) check(given[at], given[0])
        return Reflect.apply(this.#draft[name as keyof typeof ARGUMENTS], this.#draft, given)
      }
      Object.defineProperty(CheckedDraft.prototype, name, { value })
    }
  }

  constructor(draft: Draft) {
    this.#draft = draft
  }

  get event(): string {
    return this.#draft.event
  }

  set event(name: string) {
    this.#draft.event = text(name)
  }

  get distinctId(): string {
    return this.#draft.distinctId
  }
}

function text(value: unknown): string {
  if (typeof value === 'string') return value
  throw new TypeError(`the draft was given ${kindOf(value)} where text belongs`)
}

function json(value: unknown, name: unknown): string {
  if (typeof value === 'string' && isJson(value)) return value
  throw new TypeError(`${name} was given what is no JSON text`)
}

function object(value: unknown, type: unknown): void {
  if (!json(value, type).trimStart().startsWith('{'))
    throw new TypeError(`properties of the group ${type} are no object`)
}
