/** The span a part covers and its place among that span's parts. */
export interface PartName {
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
