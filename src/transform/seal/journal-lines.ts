import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { ArrivalCell } from '../../store/arrival.ts'
import { errnoOf } from '../../store/file-error.ts'
import { sum } from '../../text/lists.ts'
import type { Generated } from '../generate.ts'
import type { Job, UnitResult } from '../job.ts'
import type { Journal } from '../journal.ts'
import { dayName } from '../task.ts'
import { damaged, type WrittenFile } from '../work-file.ts'
import type { SealedDay } from './day.ts'
import type { Finished, UnitRejects } from './finish.ts'

/** The pieces of a transform, whose lines are in its work folder. */
interface Pieces {
  readonly units: readonly UnitResult[]
  readonly generated: readonly Generated[]
  readonly days: readonly { readonly day: number }[]
}

/** The lines that a dataset is finished with, from the work folder of a transform. */
export function keptInJournal(
  job: Job,
  journal: Journal,
  { units, generated, days }: Pieces,
): Pick<Finished, 'rejects' | 'cells' | 'links' | 'linkCount'> {
  const { folder } = journal
  return {
    rejects: () => unitRejects(job, folder, units),
    cells: () =>
      arrivalIn(
        journal,
        days.map(({ day }) => dayName(day)),
      ),
    links: () => linkLines(generated, folder),
    linkCount: sum(generated, ({ links }) => links),
  }
}

async function* linkLines(generated: readonly Generated[], work: string): AsyncGenerator<Buffer> {
  for (const { linksFile } of generated) yield* bytesOf(work, linksFile)
}

/**
 * The lines of arrival.ndjson of days, or of shares of days, one at a time from the journal: those of all would take much
 * memory. Code `unavailable` for one that the journal has lost since.
 */
export function* arrivalIn(journal: Journal, pieces: readonly string[]): Generator<ArrivalCell> {
  for (const piece of pieces) {
    const sealed = journal.result<Pick<SealedDay, 'arrival'>>(piece)
    if (!sealed) throw damaged(join(journal.folder, `${piece}.done`))
    yield* sealed.arrival
  }
}

function* unitRejects(job: Job, work: string, units: readonly UnitResult[]): Generator<UnitRejects> {
  for (const [number, { lines, rejectsFile }] of units.entries()) {
    yield { input: job.units[number]!.input, lines, chunks: bytesOf(work, rejectsFile) }
  }
}

/** Code `unavailable` at its end if it is not the file that was written: nothing is stored of it then. */
async function* bytesOf(work: string, { file, bytes, crc }: WrittenFile): AsyncGenerator<Buffer> {
  const path = join(work, file)
  let [length, found] = [0, 0]
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      length += chunk.length
      found = crc32(chunk, found)
      yield chunk
    }
  } catch (error) {
    throw errnoOf(error) === 'ENOENT' ? damaged(path) : error
  }
  if (length !== bytes || found !== crc) throw damaged(path)
}
