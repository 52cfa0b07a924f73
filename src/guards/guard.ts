import type { CheckFinding } from '../checks/finding.ts'
import type { GroupsAsked } from '../checks/groups-seen.ts'
import type { ProjectSide } from '../checks/project-side.ts'
import type { RuledEvents } from '../checks/rules-seen.ts'
import type { UuidsFound } from '../checks/uuids-seen.ts'
import type { PosthaulError } from '../errors.ts'
import type { Quota } from '../service/event-quota.ts'
import type { Retention } from '../service/retention.ts'
import { visible } from '../text/visible.ts'
import { firstFew, mostFirst, number } from '../text/words.ts'
import type { UserRepeats } from '../transform/repeats.ts'
import type { RulesMade } from '../transform/rules-made.ts'
import type { Copies, Unmatched } from '../transform/transform-tally.ts'

/** A question to the project that failed, though a personal key is set. */
export interface Unasked {
  /** `which group types the project has` */
  readonly what: string
  readonly error: PosthaulError
}

/** How a dataset differs from what its import has sent. */
export interface SentOtherwise {
  readonly input: string
  /** So many events were sent. */
  readonly sent: number
  /** A sentence a line. */
  readonly lines: readonly string[]
  /** The most events that would be there twice. */
  readonly twice: number
  /** The first days and names of them. */
  readonly names: readonly string[]
}

/** What guards look at. A fact that is absent is one that nobody knows, and a guard says nothing of it. */
export interface GuardFacts {
  readonly groups?: GroupsAsked | undefined
  /** Why the project key is a wrong one. */
  readonly wrongKey?: string | undefined
  /** The project that a trial goes to: how many events it holds of the whole, and of others. */
  readonly trial?: { readonly project: string; readonly whole: number; readonly others: number } | undefined
  /** Questions to the project that failed. */
  readonly unasked?: readonly Unasked[] | undefined
  /** The project's quota of events, how many there are to send (undefined: nobody knows), and how many of them were sent. */
  readonly quota?:
    | { readonly there: Quota | undefined; readonly events: number | undefined; readonly sent: number }
    | undefined
  /** The quota as an import ends that has sent events. */
  readonly quotaAtEnd?: Quota | undefined
  /** What the project holds of the days of a dataset. */
  readonly held?: Pick<ProjectSide, 'days' | 'held'> | undefined
  /** The days of a dataset, where nobody can ask what the project holds of them. */
  readonly unaskedDays?: readonly string[] | undefined
  /** Why the state that a restart forgets can't be read. */
  readonly unreadable?: string | undefined
  /** How the input differs from what its import has sent. */
  readonly sent?: SentOtherwise | undefined
  /** The import that has sent the events of a dataset, where it is another one. */
  readonly copy?:
    | {
        readonly input: string
        readonly delivered: number
        readonly checkpoint: string
        /** The checkpoint is not where it was. */
        readonly isGone: boolean
      }
    | undefined
  /** The rules of what is there already. */
  readonly rules?: RulesMade | undefined
  /** Datasets of earlier windows that another mapping file made. */
  readonly othersMap?: readonly string[] | undefined
  /** The days of what is to be imported, where the project has a retention. */
  readonly hidden?:
    | {
        readonly retention: Pick<Retention, 'months' | 'firstDay'>
        readonly days: Readonly<Record<string, number>>
        /** The events of the days that the project does not show, by name; none where nobody counted. */
        readonly names: Iterable<readonly [name: string, events: number]>
        readonly isOfFiles: boolean
      }
    | undefined
  /** The events that rules of the project drop or change, and what of its rules can't be read. */
  readonly ruled?: { readonly events: readonly RuledEvents[]; readonly unread: readonly string[] } | undefined
  /** The tests of a mapping file, as sentences: those that failed, and those that are for other options. */
  readonly tests?:
    | {
        readonly map: string
        readonly all: number
        readonly failed: readonly string[]
        readonly others: readonly string[]
      }
    | undefined
  /** Uuids of several events, in files of events or in a dataset. */
  readonly uuids?: (UuidsFound & { readonly kind: 'file' | 'dataset' }) | undefined
  /** The lines of files: those that can be sent, the others by reason, and the first of them. */
  readonly lines?:
    | {
        readonly sent: number
        readonly rejects: Readonly<Record<string, number>>
        readonly example: string | undefined
      }
    | undefined
  /** Ids that the user names and that repeat, in a transform. */
  readonly repeats?: UserRepeats | undefined
  /** Files that are in the input of a transform twice. */
  readonly copies?: Copies | undefined
  /** What a mapping file hides, and the whole input of a transform does not have. */
  readonly unmatched?: Unmatched | undefined
}

/** A code that a guard's findings have. Codes are stable: scripts and migration files name them. */
interface Code {
  readonly level: CheckFinding['level']
  /** What is so. docs/findings.md is made of these. */
  readonly means: string
  readonly remedy: string
  /** Of an error with which a command goes on where the user says `--accept`: what becomes of it then. */
  readonly accepted?: string
  /** What else the user has to say then. */
  readonly with?: string
}

/** Something that can stand against a command, and is looked for before it changes anything. */
export interface Guard {
  readonly restsOn: CheckFinding['restsOn']
  readonly codes: Readonly<Record<string, Code>>
  look(facts: GuardFacts): readonly (CheckFinding | false)[]
}

/** Names that are told one by one. */
export const MOST_NAMED = 6

/** Events by name, commonest first: the names, and what is told of the first. */
export function namesTold(events: Iterable<readonly [name: string, events: number]>) {
  const most = mostFirst(events)
  const told = most.map(([name, count]) => `${visible(name)} ${number(count)}`)
  return { names: most.map(([name]) => name), told: firstFew(told, MOST_NAMED) }
}

type Parts = Omit<CheckFinding, 'code' | 'level' | 'restsOn' | 'remedy'> & { readonly remedy?: string }

/** A guard whose `look` makes findings of its codes by `found`. */
interface Declared<Name extends string> extends Pick<Guard, 'restsOn'> {
  readonly codes: Readonly<Record<Name, Code>>
  look(
    facts: GuardFacts,
    found: (code: Name, parts: Parts) => CheckFinding,
  ): readonly (CheckFinding | false)[]
}

export function guardOf<Name extends string>({ restsOn, codes, look }: Declared<Name>): Guard {
  const found = (code: Name, parts: Parts): CheckFinding => {
    const { level, remedy } = codes[code]
    return { code, level, restsOn, remedy, ...parts }
  }
  return { restsOn, codes, look: (facts) => look(facts, found) }
}
