// What a report's page shows, section by section. A section that is absent was not looked for. `renderReport(data)` of
// src/html/report/ turns it into one file of HTML.
//
// All of it is data: names, values, messages and commands may hold any text that a source holds. Names are cut to 200
// characters, examples to 500. The lists are short enough for a page of less than 2 MB whatever the input: what was cut
// is counted in `others` and `more`, and said in `reduced`.

import type { CheckpointState } from '../../delivery/checkpoint.ts'
import type { SavedVerdict, Verified } from '../../imports/verified.ts'
import type { EventsManifest, Manifest } from '../../store/manifest.ts'
import type { TrialPart } from './trial-data.ts'

export interface ReportData {
  readonly title: string
  /** The program that wrote it, `posthaul 1.0.0`. */
  readonly tool: string
  /** ISO time. */
  readonly madeAt: string
  /** The first thing to read: what it comes to. */
  readonly verdict?: ReportVerdict
  readonly figures: readonly ReportFigure[]
  /** What could not be found or asked, a sentence each. */
  readonly missing: readonly string[]
  /** What was made smaller so that the page holds it, a sentence each. */
  readonly reduced: readonly string[]
  readonly datasets?: readonly DatasetPart[]
  readonly target?: TargetPart
  readonly imports?: readonly ImportPart[]
  /** The same days as they were at each place, in the order of the way: source, dataset, PostHog. */
  readonly days?: readonly DaysPart[]
  /** The same events at each place of their way, by day and by name. */
  readonly counts?: CountsPart
  readonly people?: PeoplePart
  /** Each dataset whose manifest knows of members. */
  readonly fill?: readonly FillPart[]
  readonly rejects?: readonly RejectsPart[]
  readonly leftOut?: readonly LeftOutPart[]
  readonly pace?: readonly PacePart[]
  readonly proof?: ProofPart
  /** Trials beside their wholes. */
  readonly trials?: readonly TrialPart[]
  readonly approval?: ApprovalPart
  /** In the order in which they are run. */
  readonly commands?: readonly ReportCommand[]
}

export type ReportLevel = 'good' | 'note' | 'warning' | 'error'

export interface ReportVerdict {
  readonly level: ReportLevel
  readonly title: string
  readonly text?: string
}

export interface ReportFigure {
  readonly label: string
  readonly value: number | string
  readonly meaning?: string
  readonly level?: ReportLevel
}

/** A count of something with a name. */
export interface NamedCount {
  readonly name: string
  readonly count: number
}

/** The most of them, most first; `others` are the sum of `otherNames` more. */
export interface TopCounts {
  readonly top: readonly NamedCount[]
  readonly otherNames: number
  readonly others: number
}

/** A dataset: where its records came from, and which rules made it. */
export interface DatasetPart extends Pick<Manifest, 'kind' | 'tool' | 'created_at'> {
  /** As typed. */
  readonly name: string
  /** What the manifest says of the source (preset, mapping_sha256 …), in its order. */
  readonly source: readonly { readonly name: string; readonly value: string }[]
  /** `mixpanel 1.1`. */
  readonly rules?: string
  readonly importIds?: readonly string[]
  /** It was made of rejects of others, which were mended. */
  readonly ofRejects?: boolean
  readonly isTrial?: boolean
  /** The text of the mapping file, if a file with the hash in the manifest was found; cut at 20,000 characters. */
  readonly mapping?: { readonly path: string; readonly text: string; readonly isCut: boolean }
  readonly parts: number
  /** As stored. */
  readonly bytes: number
  /** First and last UTC day, or window of a raw dataset. */
  readonly first?: string
  readonly last?: string
  /** Lines of a raw dataset, or where the records of a dataset of events went. */
  readonly records: Pick<EventsManifest['records'], 'read'> & Partial<EventsManifest['records']>
  readonly events?: EventsManifest['events']
  /** Events by name. */
  readonly names?: TopCounts
}

/** Where the events went. */
export interface TargetPart {
  readonly host: string
  readonly project?: string
}

/** An import, as its checkpoint has it. */
export interface ImportPart
  extends Pick<CheckpointState, 'tool' | 'started_at' | 'saved_at' | 'counts' | 'own' | 'caps'> {
  readonly input: string
  readonly checkpoint: string
  readonly state: 'done' | 'unfinished' | 'being taken back' | 'taken back'
  /** How far that is, a sentence. */
  readonly undo?: string
  /** Of the delivered events, those of which PostHog did not say that they are stored. */
  readonly unconfirmed: number
  /** What is left to send; undefined for files, whose lines nobody has counted. */
  readonly pending: number | undefined
  /** 0 to 1: of the events of a dataset, of the bytes of files; undefined if not known. */
  readonly share: number | undefined
}

/** Events by UTC day, stacked by name. */
export interface DaysPart {
  readonly place: 'source' | 'dataset' | 'service'
  /** What was counted and where from, a sentence. */
  readonly meaning: string
  readonly unit: 'records' | 'events'
  /** `YYYY-MM-DD`, in order. */
  readonly days: readonly string[]
  /**
   * Most first, a count for each day. `name` null is all others together, `names` how many of them (absent if not known).
   */
  readonly series: readonly {
    readonly name: string | null
    readonly names?: number
    readonly values: readonly number[]
  }[]
  /** What is of no known day: not in the series. */
  readonly undated: number
  readonly total: number
}

/** What a day or a name has at each place of its way; what is not known is absent. `name` null: of no known one, and others. */
export interface CountRow {
  readonly name: string | null
  /** Two of the numbers should be the same, and are not. */
  readonly differs: boolean
  /** What the vendor counts. */
  readonly vendor?: number
  /** What was exported, counted as the vendor counts. */
  readonly counted?: number
  /** Records that were exported. */
  readonly exported?: number
  /** Events that were made of them. */
  readonly made?: number
  readonly rejected?: number
  readonly filtered?: number
  /** Of the events, those that the dataset or an earlier one has already. */
  readonly duplicates?: number
  /** Events in the service. */
  readonly there?: number
}

export interface CountsPart {
  /** Who counts; absent where nobody does. */
  readonly vendor?: string
  /** Where the numbers don't add up. */
  readonly sentences: readonly string[]
  /** Which numbers are not known, and why. */
  readonly unknown: readonly string[]
  /** Those that differ first. */
  readonly days: readonly CountRow[]
  readonly otherDays: number
  readonly names: readonly CountRow[]
  readonly otherNames: number
}

export interface PeoplePart {
  /** Distinct ids, approximately. */
  readonly distinctIdsHere?: number
  readonly distinctIdsThere?: number
  readonly personsThere?: number
  /** Events that join two ids; how many of them were looked up, and how many did not lead to one person. */
  readonly mergeEvents?: number
  readonly mergesAsked?: number
  readonly mergesApart?: number
  /** Persons put right after the import, and how many of them are as import left them. */
  readonly putRight: SavedVerdict['put_right']
  /** By type: events here and in the service that name a group of it, and how many groups these name. */
  readonly groups: readonly {
    readonly type: string
    readonly here?: number
    readonly there?: number
    readonly keys?: number
  }[]
}

/** How many records have a member, and how many events a property. Shares are 0 to 1. */
export interface FillPart {
  readonly dataset: string
  readonly records: number
  readonly events: number
  /** Members of the records, most first. `fates` are what became of them: kept, renamed, dropped … */
  readonly before: readonly FillRow[]
  readonly beforeOthers: number
  /** Properties of the events, most first. */
  readonly after: readonly FillRow[]
  readonly afterOthers: number
}

export interface FillRow {
  readonly name: string
  readonly count: number
  readonly share: number
  readonly fates?: readonly NamedCount[]
}

export interface RejectsPart {
  /** Where they were rejected. */
  readonly stage: 'transform' | 'import'
  readonly input: string
  /** The file that holds them; absent if it was not found. */
  readonly file?: string
  readonly total: number
  readonly reasons: readonly RejectReason[]
  readonly otherReasons: number
  /** The command that takes them in once they are mended. */
  readonly mend?: string
}

export interface RejectReason {
  readonly reason: string
  readonly count: number
  /** Three at most. `record` is the line as it was, cut. */
  readonly examples: readonly {
    readonly line?: number
    readonly source?: string
    readonly message?: string
    readonly record: string
  }[]
}

/** What was left out on purpose. */
export interface LeftOutPart {
  readonly input: string
  /** Records (events of an import) by the rule that left them out. */
  readonly records: TopCounts
  /** Members of the records that are in no event, by path and the fate that says why. */
  readonly members: readonly { readonly name: string; readonly fate: string; readonly count: number }[]
  readonly otherMembers: number
  readonly duplicate: number
  readonly earlier: number
  /** What was changed to be taken at all: names cut, lone surrogates. */
  readonly mends: readonly NamedCount[]
}

export interface PacePart {
  readonly input: string
  readonly capPerMinute?: number
  /** `at` in milliseconds since the epoch, in time order. */
  readonly points: readonly { readonly at: number; readonly perMinute: number }[]
  /** Waits before requests were tried again, and the gaps between runs. */
  readonly pauses: readonly { readonly from: number; readonly to: number; readonly reason: string }[]
  /** Shorter ones that are not named. */
  readonly otherPauses: number
}

/** What verify found, as it keeps it. */
export interface ProofPart
  extends Pick<Verified, 'asked_at' | 'host' | 'project'>,
    Pick<SavedVerdict, 'equal' | 'events' | 'differences' | 'missing_file' | 'unasked'> {
  /** How many differences are not in the list. */
  readonly moreDifferences: number
  /** Cells of the names that are shown; those of all other names together have the name null. */
  readonly cells: readonly ProofCell[]
  /** The names in order; null for all others. */
  readonly names: readonly (string | null)[]
  /** How many names `null` stands for; undefined if not known. */
  readonly otherNames?: number
  /** Cells by state, all of them. */
  readonly states: Readonly<Record<ProofState, number>>
  readonly values: Pick<NonNullable<SavedVerdict['values']>, 'compared' | 'absent' | 'changed'> | null
  /** Why events may be missing, a sentence each. */
  readonly causes: readonly string[]
  /** What the service warned of, a sentence each. */
  readonly warnings: readonly string[]
}

/** `unknown`: not asked, or more differences than are kept. */
export type ProofState = 'same' | 'fewer' | 'more' | 'other' | 'unknown'

/** A day and a name. `state` is the worst of what it stands for. */
export interface ProofCell {
  readonly day: string
  readonly name: string | null
  readonly state: ProofState
  readonly here: number
  readonly there?: number
}

/** The text of the request for approval, and what is said with it. */
export interface ApprovalPart {
  readonly text: string
  readonly notes: readonly string[]
}

export interface ReportCommand {
  readonly title: string
  readonly line: string
}
