import { PosthaulError } from '../errors.ts'
import { NetworkError } from '../http/network-error.ts'

/**
 * How much a finding matters. `error`: what was asked for would fail, or lose or bend events, so it must not start.
 * `warning`: it may, or costs something; the user decides. `note`: good to know, or is not known. `ok`: as it
 * should be.
 */
export const FINDING_LEVELS = ['ok', 'note', 'warning', 'error'] as const
export type FindingLevel = (typeof FINDING_LEVELS)[number]

/** What a finding rests on: on what the data holds, on what PostHog documents, or on what the project answered. */
export type RestsOn = 'data' | 'document' | 'project'

/** Something to know or to do, in words for a user: no secret is in any of them. Who finds it doesn't know who shows it. */
export interface Finding {
  /** What it is about, for scripts: `disk`, `young_events`. */
  readonly code: string
  readonly level: FindingLevel
  /** What is so, in one sentence without a full stop. */
  readonly text: string
  /** Why it is so, or why it matters. */
  readonly cause?: string
  /** What the user can do about it, imperative: a command, a line of the mapping file, or a deed. */
  readonly remedy?: string | undefined
  readonly restsOn?: RestsOn
  /** It can be over by itself: a server was away or busy. */
  readonly passes?: boolean
  readonly count?: number
  /** What it is about, by name, commonest first; days oldest first. */
  readonly names?: readonly string[]
  /** The uuid of an event, or a line, and what of it shows the finding; at most 120 characters. */
  readonly example?: string | undefined
  /** The properties that it is about, each with one of its events, commonest first. */
  readonly places?: readonly PropertyPlace[]
}

/** Something about events, before it is put into words. */
export interface Problem<K extends string> extends Pick<Finding, 'names' | 'example' | 'places'> {
  readonly code: K
  readonly count: number
}

/** A finding of `check`: something to do or to know of so many events. */
export interface CheckFinding extends Finding {
  readonly level: Exclude<FindingLevel, 'ok'>
  readonly restsOn: RestsOn
  readonly remedy: string
  readonly count: number
}

export interface PropertyPlace {
  readonly event: string
  readonly property: string
  readonly count: number
}

/** What a finding says besides its first sentence. */
type Because = Pick<Finding, 'cause' | 'remedy' | 'passes'>

/** Makes the findings of one code. */
export function findingsOf(code: string) {
  const at =
    (level: FindingLevel) =>
    (text: string, because: Because = {}): Finding => ({ code, level, text, ...because })
  return { ok: at('ok'), note: at('note'), warning: at('warning'), error: at('error') }
}

/** An error of the program as a finding: its message is the cause, its hint the remedy. A bug is thrown on. */
export function becauseOf(error: unknown): Required<Pick<Because, 'cause'>> & Because {
  if (!(error instanceof PosthaulError)) throw error
  return {
    cause: [error.message, ...error.lines].join('; '),
    ...(error.hint !== undefined && { remedy: error.hint }),
    ...(isPassing(error) && { passes: true }),
  }
}

/** True if no answer came, or one that may be another later. A certificate, or a proxy that refuses, stays as it is. */
function isPassing(error: PosthaulError): boolean {
  if (error.code !== 'unavailable') return false
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if (at instanceof NetworkError) return at.fate === 'retry'
  return true
}

/** True if what was asked for must not start. */
export function hasErrors(findings: readonly Pick<Finding, 'level'>[]): boolean {
  return findings.some(({ level }) => level === 'error')
}

/** Errors come first; what is of one level stays in its order. */
export function worstFirst<F extends Pick<Finding, 'level'>>(findings: readonly F[]): F[] {
  const badness = ({ level }: F) => FINDING_LEVELS.indexOf(level)
  return findings.toSorted((a, b) => badness(b) - badness(a))
}

export function mayPass(findings: readonly Finding[]): boolean {
  return findings.every(({ level, passes }) => level !== 'error' || passes === true)
}

/** More names than these are counted only. */
const MOST_NAMES = 100

export function findingJson(finding: Finding) {
  const { code, level, restsOn, count, names = [], text, cause, example, remedy, places = [] } = finding
  return {
    ...{
      code,
      level,
      rests_on: restsOn ?? null,
      count: count ?? null,
      names: names.slice(0, MOST_NAMES),
      text,
    },
    ...{ cause: cause ?? null, example: example ?? null, remedy: remedy ?? null },
    places: places.slice(0, MOST_NAMES),
  }
}
