import type { ItemOutcome, RecordItem } from '../pipeline/loop.ts'
import { headName, readHead } from '../record/head.ts'
import { NameTable } from '../record/notes.ts'

/** What a dry run says of all that it counted. Plain data: it crosses threads. */
export interface Preview {
  /** Commonest first. */
  readonly names: ReadonlyArray<{
    /** In the source; null for records that were given up before it was known. */
    readonly from: string | null
    readonly outcome: ItemOutcome['status']
    /** In the service; null where the records become no event. */
    readonly to: string | null
    readonly records: number
  }>
  /** Records of all other names. */
  readonly otherNames: number
  /** The first of each reason, and its place among all records. The beginning of its text; null when that was too long. */
  readonly rejects: ReadonlyArray<readonly [reason: string, Example]>
}

type Example = { readonly at: number; readonly message: string; readonly record: string | null }

/** A file of rejects may have any reasons. */
const MOST_REASONS = 100
/** Of a record that is an example. */
const MOST_CHARACTERS = 2000

/** Counts names, and keeps a reject of each reason: the same ones, however the records are divided. */
export class PreviewCount {
  readonly #names = new NameTable<number>((a, b) => a + b)
  readonly #rejects = new NameTable<Example>((a, b) => (b.at < a.at ? b : a), MOST_REASONS)

  /** `at`: the record's place among all. */
  see(outcome: ItemOutcome, item: RecordItem, at: number): void {
    const { status } = outcome
    this.#names.add(JSON.stringify([item.source ?? null, status, nameOf(outcome)]), 1)
    if (status !== 'rejected') return
    const { reason, message } = outcome
    const row = item.child === undefined ? item.row?.().toString() : undefined
    const record = (row ?? outcome.record)?.slice(0, MOST_CHARACTERS) ?? null
    this.#rejects.add(reason, { at, message, record })
  }

  add({ names, otherNames, rejects }: Preview): void {
    for (const { from, outcome, to, records } of names)
      this.#names.add(JSON.stringify([from, outcome, to]), records)
    this.#names.addOthers(otherNames)
    for (const [reason, example] of rejects) this.#rejects.add(reason, example)
  }

  take(): Preview {
    const { named, others = 0 } = this.#names.take()
    const names = named.map(([key, records]): Preview['names'][number] => {
      const [from, outcome, to] = JSON.parse(key) as [string | null, ItemOutcome['status'], string | null]
      return { from, outcome, to, records }
    })
    names.sort((a, b) => b.records - a.records)
    return { names, otherNames: others, rejects: this.#rejects.take().named }
  }
}

function nameOf(outcome: ItemOutcome): string | null {
  if (outcome.status !== 'event') return null
  const { bytes, length } = outcome.line
  return headName(bytes, readHead(bytes, 0, length)!)
}
