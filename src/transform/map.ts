import { AsRead } from '../inputs/as-read.ts'
import { readRecords } from '../inputs/read.ts'
import { FORGOTTEN } from '../mapping/id-links.ts'
import { mapJoined } from '../pipeline/side/joiner.ts'
import { MOST_NAMES } from '../record/name-table.ts'
import { countOne, foldNames } from '../record/notes.ts'
import { formatReject, type Reject, recordOf } from '../record/reject.ts'
import { tooLongRefusal } from '../record/rules.ts'
import type { Engine } from './engine.ts'
import { type EventSink, ExplodingSink, type NoEvent } from './exploding-sink.ts'
import type { Job, UnitResult } from './job.ts'
import { LineFile } from './line-file.ts'
import { seenLine } from './observation-file.ts'
import { Observations } from './observations.ts'
import { afterAll, KINDS, sequence } from './run/frame.ts'
import { RunWriter } from './run/writer.ts'
import { unitName } from './task.ts'

/** Maps one unit of the input into run files, observations and rejects in the work folder. Throws when stopped. */
export async function mapUnit(
  job: Job,
  number: number,
  { mapper, frames, joiner, exploder, forgotten, links }: Engine,
  stop: AbortSignal,
  progress: (bytes: number) => void,
): Promise<UnitResult> {
  const unit = job.units[number]!
  const input = job.inputs[unit.input]!
  const name = unitName(number)
  const runs = new RunWriter(job.work, name, frames)
  const seen = new LineFile(job.work, `${name}.seen`)
  const rejects = new LineFile(job.work, `${name}.rejects`)
  const observations = new Observations((observations) => {
    for (const one of observations) seen.write(seenLine(one))
  }, links)
  const result = {
    read: 0,
    mapped: 0,
    rejects: Object.create(null) as Record<string, number>,
    filtered: Object.create(null) as Record<string, number>,
    lines: 0,
  }
  const asRead = new AsRead()
  const file = job.inputs.length > 1 ? { file: input.name } : {}
  let reasons = 0
  const reject = (one: Reject): NoEvent => {
    if (one.record !== null && forgotten?.isNamedIn(one.record)) {
      countOne(result.filtered, FORGOTTEN)
      return 'filtered'
    }
    // A file of rejects may have any reasons.
    if (!(one.reason in result.rejects) && ++reasons > 2 * MOST_NAMES) {
      foldNames(result.rejects, MOST_NAMES)
      reasons = MOST_NAMES
    }
    countOne(result.rejects, one.reason)
    // A child is kept as it was cut from its record: it runs again without the others.
    const row = one.child === undefined ? asRead.row?.() : undefined
    const kept = row && { bytes: undefined, ...recordOf(row), cells: true }
    rejects.write(formatReject({ ...one, ...kept, ...file }))
    return 'rejected'
  }
  const sink: EventSink = {
    line(bytes, start, end, offset, line, child) {
      const seq = sequence(number, result.read++)
      const mapped = mapJoined(mapper, joiner, bytes, start, end)
      if (mapped.status === 'event') {
        result.mapped++
        if (mapped.link) observations.link(mapped.link, mapped.instant, seq)
        for (const state of mapped.groupStates) observations.group(state, mapped.instant, seq)
        runs.lines.copyFrom(mapped.line, 0, mapped.line.length)
        runs.add(
          mapped.instant,
          mapped.givesWay ? afterAll(seq) : seq,
          mapped.ownId ? KINDS.own : KINDS.content,
        )
      } else if (mapped.status === 'filtered') {
        countOne(result.filtered, mapped.reason)
        const { link } = mapped
        if (link) observations.link(link, link.instant, seq)
      } else {
        const { reason, message } = mapped
        return reject({ reason, message, ...recordOf(bytes, start, end), offset, line, child })
      }
      return mapped.status
    },
    tooLong(offset, length, line) {
      result.read++
      reject({ ...tooLongRefusal(length), record: null, offset, line })
    },
    reject(one) {
      result.read++
      return reject(one)
    },
    leaveOut(reason) {
      result.read++
      countOne(result.filtered, reason)
    },
    unusable: (what) => countOne(mapper.notes.unusable, what),
  }
  const exploding = exploder && new ExplodingSink(exploder, sink)
  try {
    result.lines = await readRecords(input, exploding ?? sink, {
      range: unit.range,
      columns: job.columns,
      withTable: job.withTable,
      asRead,
      mends: mapper.notes.mends,
      progress,
      stop,
    })
    // A stopped read ends early and without an error: what was read is not the whole unit.
    stop.throwIfAborted()
    observations.flush()
    runs.flush()
  } finally {
    seen.close()
    rejects.close()
  }
  return {
    ...result,
    joins: joiner?.takeCounts() ?? {},
    records: exploding?.records ?? null,
    notes: mapper.takeNotes(),
    inventory: mapper.takeInventory(),
    segments: runs.segments,
    seenFile: seen.written,
    rejectsFile: rejects.written,
  }
}
