import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { readRecords } from '../inputs/read.ts'
import type { RecordSink } from '../inputs/record-sink.ts'
import type { Mapper } from '../mapping/mapper.ts'
import { formatReject } from '../record/reject.ts'
import { tooLongRefusal } from '../record/rules.ts'
import { MIB } from '../units.ts'
import type { Job, UnitResult } from './job.ts'
import { seenLine } from './observation-file.ts'
import { Observations } from './observations.ts'
import { KINDS, sequence } from './run/frame.ts'
import { RunWriter } from './run/writer.ts'
import { unitName } from './task.ts'

/** Maps one unit of the input into run files, observations and rejects in the work folder. Throws when stopped. */
export async function mapUnit(
  job: Job,
  number: number,
  mapper: Mapper,
  stop: AbortSignal,
  progress: (bytes: number) => void,
): Promise<UnitResult> {
  const unit = job.units[number]!
  const input = job.inputs[unit.input]!
  const name = unitName(number)
  mapper.out.length = 0
  const runs = new RunWriter(job.work, name, mapper.out)
  const seen = new LineFile(job.work, `${name}.seen`)
  const rejects = new LineFile(job.work, `${name}.rejects`)
  const observations = new Observations((observations) => {
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
      const mapped = mapper.map(bytes, start, end)
      if (mapped.status === 'event') {
        result.mapped++
        if (mapped.anonymousId !== undefined)
          observations.link(mapped.anonymousId, mapped.distinctId, mapped.instant, seq)
        for (const state of mapped.groupStates) observations.group(state, mapped.instant, seq)
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
    // A stopped read ends early and without an error: what was read is not the whole unit.
    stop.throwIfAborted()
    observations.flush()
    runs.flush()
  } finally {
    seen.close()
    rejects.close()
  }
  return { ...result, notes: mapper.takeNotes(), inventory: mapper.takeInventory(), segments: runs.segments }
}

/** A text file written line by line, complete once it is closed. Without a folder it drops the lines. */
class LineFile {
  readonly #fd: number | undefined
  #held: string[] = []
  #length = 0

  constructor(folder: string | undefined, name: string) {
    this.#fd = folder === undefined ? undefined : openSync(join(folder, name), 'w')
  }

  write(line: string): void {
    if (this.#fd === undefined) return
    this.#held.push(line)
    this.#length += line.length
    if (this.#length > MIB) this.#drain(this.#fd)
  }

  close(): void {
    if (this.#fd === undefined) return
    this.#drain(this.#fd)
    closeSync(this.#fd)
  }

  #drain(fd: number): void {
    const bytes = Buffer.from(this.#held.join(''))
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    this.#held = []
    this.#length = 0
  }
}
