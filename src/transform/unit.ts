import { readRecords } from '../formats/read.ts'
import type { RecordSink } from '../formats/record-sink.ts'
import { formatReject } from '../record/reject.ts'
import { tooLongRefusal } from '../record/rules.ts'
import type { Engine } from './engine.ts'
import type { Job, UnitResult } from './job.ts'
import { Ledger } from './ledger.ts'
import { LineFile } from './line-file.ts'
import { KINDS, sequence } from './run/frame.ts'
import { RunWriter } from './run/writer.ts'
import { seenLine } from './seen-file.ts'
import { unitName } from './task.ts'

/** Maps one unit of the input into run files, observations and rejects in the work folder. Throws when it is stopped. */
export async function mapUnit(
  job: Job,
  number: number,
  engine: Engine,
  stop: AbortSignal,
  progress: (bytes: number) => void,
): Promise<UnitResult> {
  const unit = job.units[number]!
  const input = job.inputs[unit.input]!
  const name = unitName(number)
  engine.out.length = 0
  const runs = new RunWriter(job.work, name, engine.out)
  const seen = new LineFile(job.work, `${name}.seen`)
  const rejects = new LineFile(job.work, `${name}.rejects`)
  const ledger = new Ledger((observations) => {
    for (const one of observations) seen.write(seenLine(one))
  })
  const result = {
    read: 0,
    mapped: 0,
    rejects: Object.create(null) as Record<string, number>,
    filtered: Object.create(null) as Record<string, number>,
    lines: 0,
  }
  const file = job.inputs.length > 1 ? { file: input.name } : {}
  const reject = (reason: string, message: string, record: string | null, offset: number, line: number) => {
    result.rejects[reason] = (result.rejects[reason] ?? 0) + 1
    rejects.write(formatReject({ line, offset, reason, message, record, ...file }))
  }
  const sink: RecordSink = {
    line(bytes, start, end, offset, line) {
      const seq = sequence(number, result.read++)
      const mapped = engine.map(bytes, start, end)
      if (mapped.status === 'event') {
        result.mapped++
        if (mapped.anonymousId !== undefined)
          ledger.link(mapped.anonymousId, mapped.distinctId, mapped.instant, seq)
        for (const state of mapped.groupStates) ledger.group(state, mapped.instant, seq)
        runs.add(mapped.instant, seq, mapped.ownId ? KINDS.own : KINDS.content)
      } else if (mapped.status === 'filtered') {
        result.filtered[mapped.reason] = (result.filtered[mapped.reason] ?? 0) + 1
      } else reject(mapped.reason, mapped.message, bytes.toString('utf8', start, end), offset, line)
    },
    tooLong(offset, length, line) {
      result.read++
      const { reason, message } = tooLongRefusal(length)
      reject(reason, message, null, offset, line)
    },
    reject({ reason, message, record, offset, line }) {
      result.read++
      reject(reason, message, record, offset, line)
    },
  }
  try {
    result.lines = await readRecords(input, sink, {
      range: unit.range,
      columns: job.columns,
      progress,
      stop,
    })
    // What was read then is not the unit.
    stop.throwIfAborted()
    ledger.flush()
    runs.flush()
  } finally {
    seen.close()
    rejects.close()
  }
  return { ...result, notes: engine.takeNotes(), segments: runs.segments }
}
