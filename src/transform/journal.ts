import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { crcOf, PieceKind } from '../state/cell-kind.ts'
import { bootId } from '../store/process-start.ts'
import type { Store } from '../store/store.ts'
import type { Generated } from './generate.ts'
import { assertSameHashKey } from './hash-key.ts'
import type { Job, UnitResult } from './job.ts'
import type { Segment } from './run/frame.ts'
import type { SealedDay } from './seal/day.ts'
import { dayName, pieceName, type Task } from './task.ts'
import { isIntact, isIntactFile, type WrittenFile } from './work-file.ts'

const JOB_FILE = 'job.json'
/** The end of the name of a finished piece's result. */
const DONE = '.done'

/** Version of the files in the work folder. Raise it when one changes its shape: an older journal is not used. */
const FORMAT = 13

/** A file of the journal: the checksum of its second line, which is the value. */
export const JOURNAL = new PieceKind<unknown>({
  name: 'journal of a transform',
  seal: (value) => {
    const text = JSON.stringify(value)
    return `${crcOf(text)}\n${text}`
  },
  open: (text) => JSON.parse(text.slice(text.indexOf('\n') + 1)),
})

/**
 * The journal of a transform under way, in its work folder. Every finished piece of work has one file with its result,
 * renamed into place after the piece's own files are written. So after a kill at any instant:
 *
 * - a piece with a result file is whole, and is not done again, if its files are still as they were written: the result
 *   names each with its length and checksum (see `finishedPiece`);
 * - a result file has a checksum of its own, and one that does not fit it is no result;
 * - a piece without one is done again, over the files it left;
 * - `job.json` fingerprints the command, the inputs (name, size, time) and the tool. Another fingerprint means another
 *   transform: the folder is emptied and nothing old is used.
 *
 * Nothing here is synced, which would cost more than the rest of a transform. After a kill the kernel still has what
 * was written. After a power cut it does not, so the fingerprint includes the machine's boot, and a transform from
 * before the boot starts over. The dataset's own files, outside the folder, are synced by the store.
 */
export class Journal {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  /** Resumes the folder's job, with its clock, when it is the same one; otherwise starts afresh. */
  async begin(job: Job, tool: string): Promise<Job> {
    const fingerprint = fingerprintOf(job, tool, await boot())
    const known = this.#read<{ fingerprint: string; now: number; hashKey?: string }>(JOB_FILE)
    if (known?.fingerprint === fingerprint) return { ...job, now: known.now }
    const hashKey = job.hashKey?.fingerprint
    assertSameHashKey(this.folder, known?.hashKey, hashKey)
    mkdirSync(this.folder, { recursive: true })
    // First a fingerprint that fits no job: a kill while old results are removed must not leave half of them in use.
    this.#write(JOB_FILE, { fingerprint: '', now: job.now })
    for (const name of readdirSync(this.folder)) {
      if (name !== JOB_FILE) rmSync(join(this.folder, name), { recursive: true })
    }
    this.#write(JOB_FILE, { fingerprint, now: job.now, hashKey })
    return job
  }

  /** The result of a finished piece, or undefined. */
  result<T>(piece: string): T | undefined {
    return this.#read<T>(`${piece}${DONE}`)
  }

  finish(piece: string, result: unknown): void {
    this.#write(`${piece}${DONE}`, result)
  }

  pieces(prefix: string): string[] {
    const names = readdirSync(this.folder).filter((name) => name.startsWith(prefix) && name.endsWith(DONE))
    return names.map((name) => name.slice(0, -DONE.length))
  }

  /** True if a piece has a result file, whole or not. */
  has(piece: string): boolean {
    return existsSync(join(this.folder, `${piece}${DONE}`))
  }

  /** Takes the result of a piece away: it is done again. */
  forget(piece: string): void {
    rmSync(join(this.folder, `${piece}${DONE}`), { force: true })
  }

  /** True when a transform was begun here, even if its job can't be read any more. */
  get exists(): boolean {
    return existsSync(this.folder)
  }

  /** Forgets the transform. The job goes first: after a kill in between, nothing that is left is used. */
  remove(): void {
    rmSync(join(this.folder, JOB_FILE), { force: true })
    rmSync(this.folder, { recursive: true, force: true })
  }

  #write(name: string, value: unknown): void {
    const path = join(this.folder, name)
    writeFileSync(`${path}.tmp`, JOURNAL.seal(value))
    renameSync(`${path}.tmp`, path)
  }

  #read<T>(name: string): T | undefined {
    const path = join(this.folder, name)
    if (!existsSync(path)) return undefined
    // The file was renamed into place whole, so something changed it since, or the power failed, which leaves it empty.
    const { said, isWhole } = JOURNAL.read(readFileSync(path))
    return isWhole ? (said as T) : undefined
  }
}

/** Names this boot of the machine; where the system has no name for it, by its minute. */
async function boot(): Promise<string> {
  return (await bootId()) ?? String(Math.round((Date.now() / 1000 - uptime()) / 60))
}

function fingerprintOf(job: Job, tool: string, bootName: string): string {
  const { now: _, hashKey, forgotten: _ids, inputs, ...rest } = job
  // Side tables are built anew by each run, in a folder of its own: what they hold is what counts.
  const sideTables = job.sideTables.map(({ file: _, ...table }) => table)
  const hash = createHash('sha256').update(
    JSON.stringify([FORMAT, tool, bootName, { ...rest, sideTables }, hashKey?.fingerprint]),
  )
  // One by one: the text of all of 200,000 inputs, and its bytes, would be 100 MB for a moment.
  for (const input of inputs) hash.update(`\n${JSON.stringify(input)}`)
  return hash.digest('hex')
}

/**
 * The result of a piece that an earlier run finished; undefined if there is none, or if a file it wrote is not as it was
 * written. Then the piece is done again, to the same bytes. Reads all that is left of the piece's files.
 */
export function finishedPiece(journal: Journal, task: Task): unknown {
  const result = journal.result(pieceName(task))
  if (result === undefined) return undefined
  if (task.type === 'map') return isUnitIntact(journal, result as UnitResult) ? result : undefined
  if (task.type === 'carry') return isIntactFile(journal.folder, result as WrittenFile) ? result : undefined
  if (task.type === 'generate') return isShareIntact(journal, result as Generated) ? result : undefined
  // The parts of days were looked at before: see forgetLostDays.
  return result
}

/**
 * Removes the results of days, or of shares of days, whose parts are not in the store with the size they had. To be called
 * before any piece is asked for: the runs of a day that counts as sealed are needed no more, so nobody looks at them.
 */
export async function forgetLostDays(journal: Journal, store: Store, prefix = 'day-'): Promise<void> {
  const pieces = journal.pieces(prefix)
  if (pieces.length === 0) return
  const sizes = new Map((await store.list()).map(({ name, bytes }) => [name, bytes]))
  for (const piece of pieces) {
    const parts = journal.result<SealedDay>(piece)?.parts
    if (!parts?.every(({ file, bytes }) => sizes.get(file) === bytes)) journal.forget(piece)
  }
}

function isUnitIntact(journal: Journal, { seenFile, rejectsFile, segments }: UnitResult): boolean {
  const { folder } = journal
  return (
    isIntactFile(folder, seenFile) && isIntactFile(folder, rejectsFile) && areRunsIntact(journal, segments)
  )
}

function isShareIntact(journal: Journal, { segments, linksFile }: Generated): boolean {
  return isIntactFile(journal.folder, linksFile) && areRunsIntact(journal, segments)
}

/** The runs of a sealed day need not be there: most were removed when it was sealed. */
function areRunsIntact(journal: Journal, segments: readonly Segment[]): boolean {
  return segments.every((segment) => journal.has(dayName(segment.day)) || isIntact(journal.folder, segment))
}
