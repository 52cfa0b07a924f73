import { isJson } from '../record/json-values.ts'
import { canonicalUuid } from '../record/uuid.ts'
import {
  type Draft,
  Filtered,
  type Preset,
  type PresetOptions,
  type RecordView,
  Rejection,
  type UuidFunction,
} from './preset.ts'

/** The reason of records on which a function of somebody's own preset failed. */
export const PRESET_FAILED = 'preset_failed'

/** Ids are text to functions of somebody else. */
export type WholeOwnPreset = Omit<Preset, 'anonymousId' | 'perform' | 'uuid'> & {
  readonly uuid: UuidFunction
  perform?(record: RecordView, draft: Draft, options: PresetOptions): void
  anonymousId(record: RecordView, distinctId: string): string | undefined
}

/**
 * A preset whose functions somebody else wrote. What they throw, and what they return that is no such value, makes a
 * reject of the record under way, which names the function: nothing of it ends the run, and none of it is sent.
 */
export function guarded(preset: WholeOwnPreset): Preset {
  const { perform, userId } = preset
  return {
    ...preset,
    eventName: guard('eventName', preset.eventName.bind(preset), textOrNone),
    distinctId: guard('distinctId', preset.distinctId.bind(preset), textOrNone),
    anonymousId: guard('anonymousId', (record, id) => preset.anonymousId(record, id.text), textOrNone),
    ...(userId && { userId: guard('userId', userId.bind(preset), textOrNone) }),
    uuid: guard('uuid', preset.uuid.bind(preset), uuidOrNone),
    timestamp: guard('timestamp', preset.timestamp.bind(preset), micros),
    ...(perform && {
      perform: guard(
        'perform',
        (record, draft, options) =>
          perform.call(preset, record, new CheckedDraft(draft) as CheckedDraft & Draft, options),
        nothing,
      ),
    }),
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
