import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { nearest } from '../text/nearest.ts'
import { guarded, type WholeOwnPreset } from './guarded.ts'
import type { Draft, Preset, PresetOptions, RecordView, Target } from './preset.ts'

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
  const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0]
  if (issue?.code === 'unrecognized_keys' && issue.path.length === 0) {
    const [member = ''] = issue.keys
    const known = Object.keys(schema.shape)
    const meant = nearest(member, known)
    throw new PosthaulError(`${from} has a member that no preset has: ${member}`, {
      code: 'config',
      hint: meant ? `did you mean ${meant}?` : `members: ${known.join(', ')}`,
    })
  }
  const where = issue?.path.map(String).join('.') || 'it'
  const inner = issue?.code === 'invalid_key' ? issue.issues[0] : issue
  const what = inner?.message.replace(/^Invalid input: /, '')
  throw new PosthaulError(`${from}: ${where}: ${what}`, {
    code: 'config',
    hint: 'docs/presets.md says what each member of a preset is',
  })
}

/** A preset as the engine runs it. Throws `config` for anything that isn't a preset. */
export function enginePreset(value: unknown, from: string): Preset {
  assertOwnPreset(value, from)
  return guarded(wholePreset(value))
}

/** Members that an own preset may leave out, as the engine knows them. */
function wholePreset(preset: OwnPreset): WholeOwnPreset {
  const { rules = 1, events = {}, empty = [] } = preset
  return {
    uuid: () => undefined,
    anonymousId: () => undefined,
    recognises: [],
    ...preset,
    rules,
    events,
    empty,
  }
}
