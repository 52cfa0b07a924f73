import { readFileSync, writeFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'

const MAGIC = Buffer.from('PAR1')
/** The footer's length, and the four letters that end the file. */
const FOOTER_END = 8

/** Writes the rows of a query to a Parquet file. */
export async function writeParquet(path: string, select: string, options = ''): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet${options})`)
  instance.closeSync()
}

/**
 * Gives columns of a Parquet file other names, as tools make them that tell upper case from lower: DuckDB can't write two
 * that differ only in case. Names of up to 63 bytes; the old ones must be in the file's footer as names alone. `more` is changed there, too.
 */
export function renameColumns(
  path: string,
  names: Readonly<Record<string, string>>,
  more: readonly [text: string, by: string] = ['', ''],
): void {
  const bytes = readFileSync(path)
  const end = bytes.length - FOOTER_END
  const start = end - bytes.readUInt32LE(end)
  const sized = (text: string) => `${String.fromCharCode(text.length)}${text}`
  let footer = bytes.toString('latin1', start, end).replaceAll(...more)
  for (const [from, to] of Object.entries(names)) footer = footer.replaceAll(sized(from), sized(to))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(footer.length)
  writeFileSync(path, Buffer.concat([bytes.subarray(0, start), Buffer.from(footer, 'latin1'), length, MAGIC]))
}
