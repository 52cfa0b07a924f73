// What a report's page shows, section by section. A section that is absent was not looked for. `renderReport(data)` of
// src/html/report/ turns it into one file of HTML.
//
// All of it is data: names, values, messages and commands may hold any text that a source holds. Names are cut to 200
// characters, examples to 500. The lists are short enough for a page of less than 2 MB whatever the input: what was cut
// is counted in `others` and `more`, and said in `reduced`.

import type { CheckpointState } from '../../delivery/checkpoint.ts'
import type { SavedVerdict, Verified } from '../../imports/verified.ts'
import type { EventsManifest, Manifest } from '../../store/manifest.ts'

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
  /** Events of the datasets by UTC day, in order. */
  readonly days?: readonly DayCount[]
  /** The same events at each place of their way, by day and by name. */
  readonly counts?: CountsPart
  readonly rejects?: readonly RejectsPart[]
  readonly leftOut?: readonly LeftOutPart[]
  readonly proof?: ProofPart
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
  /** Of a trial: its people, and the events of its whole. */
  readonly trial?: Pick<NonNullable<EventsManifest['trial']>, 'people' | 'whole_events'>
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

/** `day`: `YYYY-MM-DD`. */
export interface DayCount {
  readonly day: string
  readonly count: number
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

/** What verify found, as it keeps it. */
export interface ProofPart
  extends Pick<Verified, 'asked_at' | 'host' | 'project'>,
    Pick<
      SavedVerdict,
      'equal' | 'events' | 'differences' | 'missing_file' | 'unasked' | 'persons' | 'put_right'
    > {
  /** How many differences are not in the list. */
  readonly moreDifferences: number
  readonly values: Pick<NonNullable<SavedVerdict['values']>, 'compared' | 'absent' | 'changed'> | null
  /** Why events may be missing, a sentence each. */
  readonly causes: readonly string[]
  /** What the service warned of, a sentence each. */
  readonly warnings: readonly string[]
}
