import { type OptionalPackage, packageMissing } from './optional-package.ts'

/*
 * DuckDB is an optional dependency: it weighs more than all the rest together, and some systems have no build of it. Only
 * what is behind a door that has called `loadDuckDB` imports it at the top of a file.
 */

type DuckDB = typeof import('@duckdb/node-api')

export const DUCKDB: OptionalPackage = {
  name: '@duckdb/node-api',
  title: 'DuckDB',
  among: 'optionalDependencies',
}

/**
 * Loads DuckDB. `what` begins the sentence that says what needs it, such as `the sandbox needs`. Code `config`, with the
 * command that installs it, where it is not installed or can't be loaded.
 */
export async function loadDuckDB(what: string): Promise<DuckDB> {
  try {
    return await import('@duckdb/node-api')
  } catch (cause) {
    throw packageMissing(DUCKDB, what, cause)
  }
}
