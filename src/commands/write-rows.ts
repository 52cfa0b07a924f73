import type { Io } from '../io.ts'
import { type Format, type RowView, RowWriter } from '../report/rows.ts'
import { formatOf } from './format-flag.ts'

/** Writes a list that is in memory, in the format that was asked for. */
export async function writeRows<Row extends object>(
  rows: readonly Row[],
  view: RowView<Row>,
  options: { readonly format?: Format },
  io: Io,
): Promise<void> {
  const writer = new RowWriter(formatOf(options, io), view, io.stdout)
  for (const row of rows) await writer.write(row)
  await writer.end()
}
