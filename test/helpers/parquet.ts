import { DuckDBInstance } from '@duckdb/node-api'

/** Writes the rows of a query to a Parquet file. */
export async function writeParquet(path: string, select: string, options = ''): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet${options})`)
  instance.closeSync()
}
