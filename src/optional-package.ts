import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PosthaulError } from './errors.ts'

/** A package that posthaul works without, but for what needs it. */
export interface OptionalPackage {
  readonly name: string
  /** What it is to users: `DuckDB`. */
  readonly title: string
  /** Where package.json says which versions will do. */
  readonly among: 'optionalDependencies'
}

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * The error for a package that is not installed or can't be loaded, for a posthaul in the folder `root`. `what` begins the sentence that says
 * what needs it, such as `the sandbox needs`. Code `config`, with the command that installs it.
 */
export function packageMissing(
  { name, title, among }: OptionalPackage,
  what: string,
  cause: unknown,
  root = ROOT,
): PosthaulError {
  const reason = (cause instanceof Error ? cause.message : String(cause)).split('\n')[0]!
  const place = installed(root)
  const range: string = createRequire(import.meta.url)('../package.json')[among][name]
  const isElsewhere = place !== undefined && relative(process.cwd(), place) !== ''
  const words = [
    ...(place === undefined ? ['-g'] : []),
    // npm must be told to include it: a setting that left it out would also leave out its build for this system.
    ...(among === 'optionalDependencies' ? ['--include=optional'] : []),
    `${name}@${range}`,
  ]
  return new PosthaulError(`${what} ${title}, an optional part of posthaul, which can't be loaded here`, {
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
