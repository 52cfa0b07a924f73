import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'

/** Changes the events of a sandbox that is not running, by SQL on its table `sandbox_log`. Returns the rows changed. */
export async function changeSandbox(data: string, ...statements: readonly string[]): Promise<number[]> {
  const instance = await DuckDBInstance.create(join(data, 'sandbox.duckdb'))
  const connection = await instance.connect()
  try {
    const changed: number[] = []
    for (const sql of statements) changed.push((await connection.run(sql)).rowsChanged)
    return changed
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
