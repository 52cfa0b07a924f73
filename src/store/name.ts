import { PosthaulError } from '../errors.ts'

/** What a finished dataset holds, and what it refused: dataset.ts. */
export const MANIFEST = 'manifest.json'
export const REJECTS = 'rejects.ndjson'

/** What to do about a file of a dataset that isn't as its manifest says. */
export const REMAKE = 'make the dataset again with the command that made it'
export const MEND_PART = `put the file back, or ${REMAKE}`

/** The fingerprints of the events that should arrive: arrival.ts. */
export const ARRIVAL = 'arrival.ndjson'

/** What a dataset's generated events say: transform/links.ts. */
export const LINKS = 'links.ndjson'

/** An export's state, beside its parts: see sources/export-state.ts. */
export const EXPORT_STATE = 'export.json'

/** The end of the names of files that count an export's records: see sources/counts/part-counts.ts. */
export const COUNTS_SUFFIX = '.counts.json.gz'

/** What the vendor counts, beside an export's manifest: see sources/counts/vendor-counts.ts. */
export const VENDOR_COUNTS = 'vendor-counts.json'

/** What became of the records by day and name, beside the manifest of a dataset of events: see transform/outcomes.ts. */
export const OUTCOMES = 'outcomes.json'

// On Windows a backslash leads into another folder. Elsewhere it is a letter like any other.
const FORBIDDEN = process.platform === 'win32' ? /[\\\0]/ : /\0/

/** True for a name that stays inside its store and that `list` would show: no `..`, no dot files, no odd slashes. */
export function isStoreName(name: string): boolean {
  return name
    .split('/')
    .every((segment) => segment !== '' && !segment.startsWith('.') && !FORBIDDEN.test(segment))
}

/** Refuses names that leave the store: manifests are files that anyone can edit. */
export function assertStoreName(name: string): void {
  if (isStoreName(name)) return
  throw new PosthaulError(`${JSON.stringify(name)} is not the name of a file in a dataset`, { code: 'input' })
}

/** Code unit order: the same on every machine, whatever its language. */
export function byPartName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

/** The span a part covers and its place among that span's parts. */
interface PartName {
  /** A UTC day of events (`2024-03-01`), or an export's window that begins there (`2024-03-01T05`). */
  readonly span: string
  /** 0 for the span's first part. */
  readonly index: number
  readonly gzip: boolean
}

const PART = /^(\d{4}-\d{2}-\d{2}(?:T\d{2,6})?)(?:\.(\d{4,}))?\.ndjson(\.gz)?$/

/** `2024-03-01.ndjson`, then `2024-03-01.0001.ndjson`; with `.gz` when compressed. */
export function partName({ span, index, gzip }: PartName): string {
  const place = index === 0 ? '' : `.${String(index).padStart(4, '0')}`
  return `${span}${place}.ndjson${gzip ? '.gz' : ''}`
}

/** Reads a part's name; undefined for any other file. */
export function parsePartName(name: string): PartName | undefined {
  const match = PART.exec(name)
  if (!match) return undefined
  return { span: match[1]!, index: Number(match[2] ?? 0), gzip: match[3] !== undefined }
}

/** Oldest span first, and a span's parts in the order they were cut. Code units alone would put .0001 first. */
export function byPartOrder(a: PartName, b: PartName): number {
  if (a.span !== b.span) return a.span < b.span ? -1 : 1
  return a.index - b.index
}
