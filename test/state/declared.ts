import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SNAPSHOT } from '../../src/checks/persons/snapshot.ts'
import { RUN_STATE } from '../../src/commands/run/run-state.ts'
import { CHECKPOINT } from '../../src/delivery/checkpoint.ts'
import { OWN_LOG, REJECTS_LOG } from '../../src/delivery/import-state.ts'
import { LEDGER } from '../../src/delivery/ledger.ts'
import { readSent, SENT_LINES } from '../../src/delivery/sent-record.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { PROJECT_KEYS } from '../../src/imports/project-keys.ts'
import { UNDO_RECORD } from '../../src/imports/undo-record.ts'
import { VERIFIED } from '../../src/imports/verified.ts'
import { PART_COUNTS } from '../../src/sources/counts/part-counts.ts'
import { VENDOR_COUNTS } from '../../src/sources/counts/vendor-counts.ts'
import { EXPORT } from '../../src/sources/export-state.ts'
import { KEPT_PAGES } from '../../src/sources/kept-pages.ts'
import { type Cell, fileCell, type GenerationsCell, generationsCell } from '../../src/state/cell.ts'
import type { CellKind, PieceKind } from '../../src/state/cell-kind.ts'
import { LEASE } from '../../src/state/held-lease.ts'
import type { LogKind } from '../../src/state/line-log.ts'
import { WORK_RECORD } from '../../src/state/work-folder.ts'
import { ARRIVAL_LINES, type LinesPiece, readArrival } from '../../src/store/arrival.ts'
import type { Store } from '../../src/store/store.ts'
import { JOURNAL } from '../../src/transform/journal.ts'
import { LINK_LINES, readLinks } from '../../src/transform/links.ts'
import { OUTCOMES } from '../../src/transform/outcomes.ts'
import { listOf } from '../helpers/audit.ts'

/** A state, and what becomes of one that can't be read: it is refused, or as good as none. */
export interface CellRow<T extends object = object> {
  readonly kind: CellKind<T>
  readonly unreadable: ErrorCode | 'none'
  /** Another value than that of the sample. */
  readonly other: (value: T) => T
  /** An empty file is a value too. */
  readonly isEmptyWhole?: true
  /** Somebody's file in its place is told from a damaged one. */
  readonly foreign?: ErrorCode
  /** The generation before the newest is kept. */
  readonly keepsPrevious?: true
}

const row = <T extends object>(
  kind: CellKind<T>,
  unreadable: ErrorCode | 'none',
  other: (value: T) => T,
  more: Omit<CellRow, 'kind' | 'unreadable' | 'other'> = {},
): CellRow => ({ kind, unreadable, other, ...more }) as unknown as CellRow

/** Every state that is replaced whole. */
export const CELLS: readonly CellRow[] = [
  row(RUN_STATE, 'mismatch', (state) => ({ ...state, resend: [] })),
  row(UNDO_RECORD, 'mismatch', (record) => ({ ...record, requests: [] })),
  row(PROJECT_KEYS, 'mismatch', (keys) => ({ ...keys, projects: [] })),
  row(VERIFIED, 'none', (verified) => ({ ...verified, project: '2' })),
  row(SNAPSHOT, 'mismatch', (snapshot) => ({ ...snapshot, rows: 7 })),
  row(EXPORT, 'input', (state) => ({ ...state, refetch: ['2024-03-01'] })),
  row(VENDOR_COUNTS, 'none', (counts) => ({ ...counts, zone: 'Asia/Tokyo' })),
  row(OUTCOMES, 'none', (outcomes) => ({ ...outcomes, other_duplicates: 3 })),
  row(PART_COUNTS, 'none', (counts) => ({ ...counts, unread: 2 })),
  row(KEPT_PAGES, 'none', (kept) => ({ ...kept, next: null })),
  row(WORK_RECORD, 'none', (record) => ({ ...record, folder: 'another' })),
  row(LEASE, 'locked', (lease) => ({ ...lease, holders: [] }), { isEmptyWhole: true }),
  row(LEDGER, 'mismatch', (ledger) => ({ ...ledger, others: 9 })),
  row(CHECKPOINT, 'mismatch', (state) => ({ ...state, done: true }), {
    foreign: 'usage',
    keepsPrevious: true,
  }),
]

/** Every state of lines that are appended, and what becomes of lines that no cell counts. */
export const LOGS: readonly LogKind[] = [REJECTS_LOG, OWN_LOG]

/** Every state that is written once, by whoever made it. */
export const PIECES: readonly PieceKind<unknown>[] = [JOURNAL]

interface LinesRow {
  readonly kind: LinesPiece
  readonly unreadable: ErrorCode
  /** Reads the file as its users do. `sha256`: what the manifest names. */
  readonly read: (store: Store, file: string, sha256: string) => Promise<unknown>
  /** No manifest names its sha256. */
  readonly isUnnamed?: true
}

/** Every file of lines that is written once. */
export const LINES: readonly LinesRow[] = [
  {
    kind: ARRIVAL_LINES,
    unreadable: 'input',
    read: (store, file, sha256) =>
      listOf(readArrival(store, { arrival: { file, sha256, bytes: 0, lines: 0 } })),
  },
  {
    kind: LINK_LINES,
    unreadable: 'input',
    read: (store, file, sha256) => readLinks(store, { file, sha256, bytes: 0, lines: 0 }, () => undefined),
  },
  {
    kind: SENT_LINES,
    unreadable: 'mismatch',
    read: async (store, file) => listOf((await readSent(store, file))!.cells()),
    isUnnamed: true,
  },
]

/** The cell of a row in a file. */
export function cellAt(path: string, { keepsPrevious }: CellRow): Cell | GenerationsCell {
  return keepsPrevious ? generationsCell(path) : fileCell(path)
}

/** A file of the state as version 1.0.0 wrote it. */
export function sampleOf({ name }: { readonly name: string }): Buffer {
  return readFileSync(join(import.meta.dirname, 'samples', `${name.replaceAll(' ', '-')}.sample`))
}
