import type { IdleRules } from '../mapping/idle-rules.ts'
import type { Engine } from '../pipeline/engine.ts'
import { type ItemOutcome, type RecordItem, RecordLoop } from '../pipeline/loop.ts'
import { countOne, foldNames, MOST_NAMES } from '../record/notes.ts'
import { formatReject, recordOf } from '../record/reject.ts'
import { dayOf } from '../record/time.ts'
import type { FirstLinks } from './first-links.ts'
import type { UnitOrder, UnitResult, WorkerJob } from './job.ts'
import { seenLine } from './observation-file.ts'
import { Observations } from './observations.ts'
import type { OutcomeCount } from './outcome-count.ts'
import { PreviewCount } from './preview.ts'
import { RepeatCount } from './repeats.ts'
import { afterAll, KINDS, sequence } from './run/frame.ts'
import { type FrameTable, RunWriter } from './run/writer.ts'
import { unitName } from './task.ts'
import { LineFile } from './work-file.ts'

/** What maps the units of a worker, one after the other. */
export interface UnitMapper {
  readonly job: WorkerJob
  readonly engine: Engine
  /** Of the lines that are held. */
  readonly frames: FrameTable
  /** Of all units so far: a rule that an earlier one matched is not idle. */
  readonly rules: IdleRules
  /** The anonymous ids of all units so far. */
  readonly links: FirstLinks
  readonly outcomes: OutcomeCount
}

/** Maps one unit of the input into run files, observations and rejects in the work folder. Throws when stopped. */
export async function mapUnit(
  { job, engine, frames, links, rules, outcomes }: UnitMapper,
  { unit: number, inputs, range, namesFile }: UnitOrder,
  stop: AbortSignal,
  progress: (bytes: number) => void,
): Promise<UnitResult> {
  const name = unitName(number)
  const runs = new RunWriter(job.work, name, frames)
  const seen = new LineFile(job.work, `${name}.seen`)
  const rejects = new LineFile(job.work, `${name}.rejects`)
  const observations = new Observations((observations) => {
    for (const one of observations) seen.write(seenLine(one))
  }, links)
  const preview = job.work === undefined ? new PreviewCount() : undefined
  const repeats = preview && new RepeatCount()
  const result = {
    read: 0,
    mapped: 0,
    rejects: Object.create(null) as Record<string, number>,
    filtered: Object.create(null) as Record<string, number>,
    lines: 0,
  }
  let reasons = 0
  outcomes.begin()
  const reject = (one: ItemOutcome & { status: 'rejected' }, item: RecordItem) => {
    // A file of rejects may have any reasons.
    if (!(one.reason in result.rejects) && ++reasons > 2 * MOST_NAMES) {
      foldNames(result.rejects, MOST_NAMES)
      reasons = MOST_NAMES
    }
    countOne(result.rejects, one.reason)
    // A child is kept as it was cut from its record: it runs again without the others.
    const row = one.child === undefined ? item.row?.() : undefined
    const kept = row && { bytes: undefined, ...recordOf(row), cells: true }
    rejects.write(formatReject({ ...one, ...kept, ...(namesFile && { file: item.input!.name }) }))
  }
  const loop = new RecordLoop(engine, {
    wants: (bytes, start, end) => {
      rules.see(bytes, start, end)
      return true
    },
    take(outcome, item) {
      if (item.input !== outcomes.input) {
        // The record under way has been read already.
        outcomes.endFile({ ...loop.records, read: loop.records.read - 1, made: result.mapped })
        outcomes.input = item.input
      }
      outcomes.see(outcome, item.source)
      const seq = sequence(number, result.read++)
      preview?.see(outcome, item, seq)
      if (outcome.status === 'event') {
        result.mapped++
        const { line, instant, link, groupStates, givesWay, ownId } = outcome
        if (link) observations.link(link, instant, seq)
        for (const state of groupStates) observations.group(state, instant, seq)
        runs.lines.copyFrom(line, 0, line.length)
        const place = givesWay ? afterAll(seq) : seq
        const at = runs.add(instant, place, ownId ? KINDS.own : KINDS.content)
        if (ownId) repeats?.see(frames.words, at, { day: dayOf(instant), instant, seq: place })
      } else if (outcome.status === 'filtered') {
        countOne(result.filtered, outcome.reason)
        const { link } = outcome
        if (link) observations.link(link, link.instant, seq)
      } else reject(outcome, item)
    },
  })
  try {
    const { columns, withTable } = job
    result.lines = await loop.read(inputs, { range, columns, withTable, progress, stop })
    outcomes.endFile({ ...loop.records, made: result.mapped })
    observations.flush()
    runs.flush()
  } finally {
    seen.close()
    rejects.close()
  }
  return {
    ...result,
    ...engine.takeCounts(),
    idle: rules.known,
    records: engine.exploder ? loop.records : null,
    outcomes: outcomes.take(),
    segments: runs.segments,
    seenFile: seen.written,
    rejectsFile: rejects.written,
    ...(preview && { preview: preview.take(), repeats: repeats!.take() }),
  }
}
