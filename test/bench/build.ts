import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** A checkout of posthaul that `npm run build` was run in. */
export interface Build {
  /** Short. */
  readonly commit: string
  /** What node runs. */
  readonly program: string
}

/** The build in the folder of a checkout. Throws if there is none. */
export function buildIn(folder: string): Build {
  const program = resolve(folder, 'bin/posthaul.js')
  if (!existsSync(join(folder, 'dist'))) throw new Error(`${folder} has no build: npm run build makes one`)
  const revision = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: folder, encoding: 'utf8' })
  return { commit: revision.trim(), program }
}
