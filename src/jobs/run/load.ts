import { dirname, resolve } from 'node:path'
import { PosthaulError } from '../../errors.ts'
import type { Env } from '../../options/index.ts'
import { errnoOf, fileError, isS3, readWhole } from '../../store/index.ts'
import { MIB, posthaulLine } from '../../text/index.ts'
import { type Migration, parseMigration } from './migration-file.ts'
import type { At } from './stages.ts'

/** A migration and how its paths are read. */
export interface LoadedMigration {
  readonly migration: Migration
  readonly at: At
}

/** Reads a migration file. Its paths begin at its folder: a cron job runs in another one. */
export async function loadMigration(path: string, env: Env): Promise<LoadedMigration> {
  let text: string
  try {
    text = (await readWhole(path, { mostBytes: MIB, pipe: true })).toString('utf8')
  } catch (cause) {
    if (errnoOf(cause) !== 'ENOENT') throw fileError(cause, 'read', path)
    throw new PosthaulError(`there is no migration file ${path}`, {
      code: 'config',
      hint: `check the path; ${posthaulLine(['run', '--init', path])} writes one`,
      cause,
    })
  }
  const folder = dirname(resolve(path))
  const at: At = (name) => (isS3(name) ? name : resolve(folder, name))
  return { migration: parseMigration(text, path, env), at }
}
