import { isAbsolute, join, resolve } from 'node:path'
import { PosthaulError } from '../../errors.ts'
import { homeOf, isS3 } from '../../store/index.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The folder of what posthaul keeps for this user: the ledger, and work files of datasets in buckets. */
export function stateHome(env: Env): string {
  const { XDG_STATE_HOME: named = '' } = env
  // A relative path is to be ignored, by the XDG specification: each folder would have a ledger of its own.
  const home = isAbsolute(named) ? named : join(homeOf(env), '.local', 'state')
  return join(home, 'posthaul')
}

/** The folder of work files: `named` by --work-dir, else the user's own. */
export function workHome(env: Env, named: string | undefined): string {
  return named === undefined ? join(stateHome(env), 'work') : resolve(named)
}

/** Refuses --work-dir where nothing would be kept in it. */
export function assertWorkDir({
  out,
  workDir,
}: {
  out?: string | undefined
  workDir?: string | undefined
}): void {
  if (workDir === undefined || out === undefined || isS3(out)) return
  throw new PosthaulError(`--work-dir is for --out s3://…, and ${out} is a folder`, {
    code: 'usage',
    hint: 'leave it out: a dataset in a folder has its work files inside that folder',
  })
}
