// What a report's page shows: the manifests, checkpoints and the last verify as they are kept, with what was read beside
// them. A part that is absent was not looked for. `renderReport(data)` of src/html/report/ cuts its lists to a page of less
// than 2 MB, and shows names, messages and commands as text, whatever they hold.

import type { CheckpointState } from '../../delivery/checkpoint.ts'
import type { Verified } from '../../imports/verified.ts'
import type { Manifest } from '../../store/manifest.ts'
import type { Store } from '../../store/store.ts'

/** Differences that a page shows. */
export const MOST_DIFFERENCES = 100

/** A dataset that a report is of. */
export interface Opened<M extends Manifest = Manifest> {
  /** As typed. */
  readonly name: string
  readonly store: Store
  readonly manifest: M
}

export interface ReportData {
  readonly title: string
  /** The program that wrote it, `posthaul 1.0.0`. */
  readonly tool: string
  /** ISO time. */
  readonly madeAt: string
  /** The first thing to read: what it comes to. */
  readonly verdict?: ReportVerdict | undefined
  readonly figures: readonly ReportFigure[]
  /** What could not be found or asked, a sentence each. */
  readonly missing: readonly string[]
  /** What was made smaller so that the page holds it, a sentence each. */
  readonly reduced: readonly string[]
  /** Raw ones first. */
  readonly datasets: readonly Omit<Opened, 'store'>[]
  readonly imports: readonly ImportPart[]
  readonly counts?: CountsPart | undefined
  readonly rejects: readonly RejectsPart[]
  readonly proof?: Verified | undefined
}

type ReportLevel = 'good' | 'note' | 'warning' | 'error'

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

export interface ImportPart {
  readonly state: CheckpointState
  readonly standing: 'done' | 'unfinished' | 'being taken back' | 'taken back'
  /** How far the request is that takes it back, a sentence. */
  readonly undo?: string
  /** What is left to send; undefined for files, whose lines nobody has counted. */
  readonly pending: number | undefined
  /** 0 to 1: of the events of a dataset, of the bytes of files; undefined if not known. */
  readonly share: number | undefined
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
  readonly names: readonly CountRow[]
}

export interface RejectsPart {
  /** Where they were rejected. */
  readonly stage: 'transform' | 'import'
  readonly input: string
  /** The file that holds them. */
  readonly file: string
  readonly total: number
  /** How many, by reason. */
  readonly reasons: Readonly<Record<string, number>>
}
