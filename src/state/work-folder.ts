/*
 * The work folder of a dataset in a bucket: a private folder on this machine (0700, with a name that nobody can guess),
 * for what a run needs until the dataset is whole. It is in a folder of the user, the home of all work folders:
 *
 *     transform-<hash of the address>.json      the record: which folder it is
 *     transform-<hash of the address>.lock      the lease: one run at a time
 *     transform-<hash of the address>-x7Kq2D/   the folder
 *
 * The record lets the same command find its folder again. Nothing is followed or emptied that is not ours: the home, the
 * record and the folder are looked at by lstat, and one that is a link or another user's stops the run.
 *
 * A run that is killed before it writes the record leaves a folder without one, which the next run removes. Where the
 * record's folder is gone, or its name leads out of the home, the next run makes a new one. If no run ever comes again, the
 * folder stays until the user removes it.
 */
import { createHash } from 'node:crypto'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { errnoOf, fileError } from '../store/file-error.ts'
import { isTemporaryName, makeFolder } from '../store/own-file.ts'
import { assertHome, isOwn } from '../store/ownership.ts'
import { parseS3, s3Address } from '../store/s3-location.ts'
import { fileCell } from './cell.ts'
import { CellKind } from './cell-kind.ts'
import { acquireLease, type LeaseRequest } from './lease.ts'

const HASH_DIGITS = 16
const HINT = 'name a folder of yours, with room for the work, with --work-dir'

interface WorkRequest extends Pick<LeaseRequest, 'signal' | 'note'> {
  /** The folder of all work folders; it is made if there is none. */
  readonly home: string
  readonly command: 'export' | 'groups-export' | 'transform'
  /** The dataset's address in its bucket. */
  readonly out: string
}

/** A work folder that is ours alone until `release`. */
export interface WorkPlace {
  /** True if an earlier run of this command for this dataset opened it and did not come to its end. */
  readonly begun: boolean
  /** The path of the folder: that of the earlier run, with all it holds, or a new one. */
  open(): Promise<string>
  /** Throws once another run has it. */
  look(): Promise<void>
  /** Ends the lease, and forgets the folder if it is gone. */
  release(): Promise<void>
}

/** One that can't be read is as good as none: a new folder is made. */
export const WORK_RECORD = new CellKind({
  name: 'record of a work folder',
  schema: z.object({ out: z.string(), folder: z.string() }),
  version: 1,
})

/** Takes the lease of a work folder. Code `input` if it can't be kept or is not ours, `locked` if another run has it. */
export async function leaseWork({ home, command, out, ...waiting }: WorkRequest): Promise<WorkPlace> {
  const place = placeOf({ home, command, out })
  return inHome(home, async () => {
    await makeFolder(home)
    await assertHome(home)
    const path = `${place.stem}.lock`
    await isOwn(path, 'file')
    const lease = await acquireLease({ cell: fileCell(path), purpose: `${command} to ${out}`, ...waiting })
    try {
      const begun = await isWorkBegun({ home, command, out })
      return {
        begun,
        open: () => inHome(home, async () => (await knownFolder(place)) ?? newFolder(place)),
        look: () => lease.look(),
        release: async () => {
          // A record without a folder does no harm.
          await forgetIfGone(place).catch(() => undefined)
          await lease.release()
        },
      }
    } catch (error) {
      await lease.release()
      throw error
    }
  })
}

/** True if a run of this command for this dataset left its work folder, or the record of one. */
export async function isWorkBegun(request: Pick<WorkRequest, 'home' | 'command' | 'out'>): Promise<boolean> {
  const place = placeOf(request)
  return (await isOwn(place.record, 'file')) || (await foldersOf(place)).length > 0
}

interface Place {
  readonly home: string
  /** The dataset's address, written in one way. */
  readonly address: string
  /** What the paths of the record, the lease and the folder begin with. */
  readonly stem: string
  readonly record: string
}

function placeOf({ home, command, out }: Pick<WorkRequest, 'home' | 'command' | 'out'>): Place {
  const address = s3Address(parseS3(out), '')
  const hash = createHash('sha256').update(address).digest('hex').slice(0, HASH_DIGITS)
  const stem = join(home, `${command}-${hash}`)
  return { home, address, stem, record: `${stem}.json` }
}

async function knownFolder({ home, address, stem, record }: Place): Promise<string | undefined> {
  if (!(await isOwn(record, 'file'))) return undefined
  const { out, folder } = (await WORK_RECORD.load(fileCell(record)))?.value ?? {}
  if (folder === undefined || out !== address) return undefined
  if (!folder.startsWith(`${basename(stem)}-`) || !/^[\w-]+$/.test(folder)) return undefined
  const path = join(home, folder)
  if (!(await isOwn(path, 'folder'))) return undefined
  await chmod(path, 0o700)
  return path
}

async function newFolder(place: Place): Promise<string> {
  const { stem, record, address, home } = place
  for (const path of await foldersOf(place)) await rm(path, { recursive: true })
  for (const name of await namesIn(home)) {
    if (isTemporaryName(name) && name.startsWith(`.${basename(record)}.`)) await rm(join(home, name))
  }
  const path = await mkdtemp(`${stem}-`)
  await WORK_RECORD.save(fileCell(record), { out: address, folder: basename(path) })
  return path
}

async function forgetIfGone(place: Place): Promise<void> {
  if ((await foldersOf(place)).length === 0) await rm(place.record, { force: true })
}

/** The folders of this dataset's work: at most one, and those of runs that were killed before they wrote the record. */
async function foldersOf({ home, stem }: Place): Promise<string[]> {
  const found: string[] = []
  for (const name of await namesIn(home)) {
    if (!name.startsWith(`${basename(stem)}-`)) continue
    const path = join(home, name)
    if (await isOwn(path, 'folder')) found.push(path)
  }
  return found
}

async function namesIn(home: string): Promise<string[]> {
  return readdir(home).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  })
}

/** What fails in the home is a matter of the place: the message says how to name another one. */
async function inHome<T>(home: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const told = fileError(error, 'keep work files in', home)
    if (!(told instanceof PosthaulError) || told.code !== 'input' || errnoOf(told.cause) === undefined)
      throw told
    throw new PosthaulError(told.message, { code: 'input', hint: HINT, cause: told.cause })
  }
}
