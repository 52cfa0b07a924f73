import { GroupsSeen } from '../../checks/groups-seen.ts'
import { StorageSeen } from '../../checks/storage-seen.ts'
import { IdleRules } from '../../mapping/idle-rules.ts'
import type { Mapping } from '../../mapping/mapping.ts'
import type { Engine } from '../../pipeline/engine.ts'
import { RecordLoop } from '../../pipeline/loop.ts'
import { type Head, headId, headName, readHead } from '../../record/head.ts'
import type { Outcome } from '../studio-data.ts'
import type { SampleRecord } from '../studio-sample.ts'

/** An event of the sample, as far as the model speaks of it. */
export type MadeEvent = Readonly<ReturnType<typeof eventOf>>

/** What became of a record, or of a child of one. */
export interface SampleOutcome {
  /** Its record's place in the sample. */
  readonly record: number
  readonly child: number | null
  readonly outcome: Outcome
  readonly reason: string | null
  readonly message: string | null
  /** The event's name in the source; null when the record was given up before it was known. */
  readonly source: string | null
  readonly event: MadeEvent | null
}

export type MappedSample = ReturnType<typeof mapSample>

const NO_LINE = Buffer.alloc(0)

/** Maps a sample. Pure but for the engine's buffers. */
export function mapSample(records: readonly SampleRecord[], engine: Engine, mapping: Mapping) {
  const made: SampleOutcome[] = []
  const groups = new GroupsSeen()
  const storage = new StorageSeen(true)
  const rules = new IdleRules(mapping)
  let record = 0
  const loop = new RecordLoop(engine, {
    wants: (bytes, start, end) => {
      rules.see(bytes, start, end)
      return true
    },
    take(outcome, { child = null, source = null }) {
      const { status } = outcome
      const line = status === 'event' ? outcome.line.bytes.subarray(0, outcome.line.length) : NO_LINE
      const head = status === 'event' ? readHead(line, 0, line.length)! : undefined
      if (head) {
        groups.look(line, head)
        storage.look(line, head)
      }
      made.push({
        record,
        child,
        outcome: status,
        reason: status === 'event' ? null : outcome.reason,
        message: status === 'rejected' ? outcome.message : null,
        source,
        event: head ? eventOf(line, head) : null,
      })
    },
  })
  for (const [index, { bytes, refused }] of records.entries()) {
    record = index
    if (refused) loop.reject({ ...refused, offset: 0, line: 1 })
    else loop.give(bytes)
  }
  const { notes } = engine.takeCounts()
  return { made, notes, groups, storage: storage.total, idleRules: records.length > 0 ? rules.idle : [] }
}

function eventOf(line: Buffer, head: Head) {
  return {
    name: headName(line, head),
    /** Microseconds. */
    instant: head.instant,
    distinctId: headId(line, head),
  }
}
