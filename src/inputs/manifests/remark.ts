import { firstFew } from '../../text/words.ts'
/** What the manifests of a vendor or of posthaul make of files in their folder, beside those that are simply read. */
export const REMARKS = {
  stale: 'left out: a later delivery replaces them',
  unsettled: 'left out: of the newest 10 days, which may still change; --with unsettled-days reads them',
  unsettled_read: 'read, and hold some of the newest 10 days, which may still change',
  unnamed: 'left out: no manifest names them, so they may be old, or not all there',
  unnamed_read: 'read, though no manifest names them',
  not_a_manifest: 'read as data: the name is of a manifest, the content is not',
  partitioned:
    'read without the values that the names of their folders have, such as dt=2024-03-01: to keep them, write them into the rows, as DuckDB does with hive_partitioning',
  papers: 'left out: for people to read, no records',
  never_whole: 'came as additions only: no manifest names a full delivery, so older rows are missing',
} as const

/** So many names are said: they are long. `--json` has more. */
const NAMED = 1

/** Some files of a folder, or tables, and what became of them. */
export interface FileRemark {
  readonly what: keyof typeof REMARKS
  /** Whose manifest it is: Heap, or `the dataset` for posthaul's own. */
  readonly vendor: string
  /** Of files, or of tables for `never_whole`. */
  readonly names: readonly string[]
}

/** Takes what there is to say of the files in a folder. */
export type OnRemark = (remark: FileRemark) => void

/** One remark in words: `3 files (sync_1/…, …) left out: …`. */
export function remarkWords({
  what,
  vendor,
  names,
  count = names.length,
}: FileRemark & { readonly count?: number }): string {
  const one = what === 'never_whole' ? 'table' : 'file'
  return `${count} ${one}${count === 1 ? '' : 's'} of ${vendor} (${firstFew(names, NAMED)}) ${REMARKS[what]}`
}
