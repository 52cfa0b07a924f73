import type { Io } from '../io.ts'
import { type Format, RowPrinter, type RowView } from './text/rows.ts'

interface FormatValues {
  readonly format: Format | undefined
}

/** The format that was asked for. Default: a table on a terminal, NDJSON elsewhere. */
export function formatOf({ format }: FormatValues, io: Pick<Io, 'stdout'>): Format {
  return format ?? (io.stdout.isTTY ? 'table' : 'ndjson')
}

/** Writes a list that is in memory, in the format that was asked for. */
export async function writeRows<Row extends object>(
  rows: readonly Row[],
  view: RowView<Row>,
  values: FormatValues,
  io: Io,
): Promise<void> {
  const writer = new RowPrinter(formatOf(values, io), view, io.stdout)
  for (const row of rows) await writer.write(row)
  await writer.end()
}
