import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PosthaulError } from './errors.ts'

/*
 * DuckDB is an optional dependency: it weighs more than all the rest together, and some systems have no build of it. Only
 * what is behind a door that has called `loadDuckDB` imports it at the top of a file.
 */

type DuckDB = typeof import('@duckdb/node-api')

const PACKAGE = '@duckdb/node-api'
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Loads DuckDB. `what` begins the sentence that says what needs it, such as `the sandbox needs`. Code `config`, with the
 * command that installs it, where it is not installed or can't be loaded.
 */
export async function loadDuckDB(what: string): Promise<DuckDB> {
  try {
    return await import('@duckdb/node-api')
  } catch (cause) {
    throw duckDBMissing(what, cause)
  }
}

/** The error for a posthaul in the folder `root` that can't load DuckDB. */
export function duckDBMissing(what: string, cause: unknown, root = ROOT): PosthaulError {
  const reason = (cause instanceof Error ? cause.message : String(cause)).split('\n')[0]!
  const place = installed(root)
  const range: string = createRequire(import.meta.url)('../package.json').optionalDependencies[PACKAGE]
  const isElsewhere = place !== undefined && relative(process.cwd(), place) !== ''
  // npm must be told to include it: a setting that left it out would also leave out its build for this system.
  const words = [...(place === undefined ? ['-g'] : []), '--include=optional', `${PACKAGE}@${range}`]
  return new PosthaulError(`${what} DuckDB, an optional part of posthaul, which can't be loaded here`, {
    code: 'config',
    lines: [reason, ...(isElsewhere ? [`install it in the folder ${place}`] : [])],
    hint: `install it: npm install ${words.join(' ')}`,
    cause,
  })
}

/** The folder whose packages posthaul is among; undefined where these are for the whole machine. */
function installed(root: string): string | undefined {
  const parent = dirname(root)
  const place = basename(parent) === 'node_modules' ? dirname(parent) : root
  // A folder for the whole machine has no package.json.
  return existsSync(join(place, 'package.json')) ? place : undefined
}
