import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { IdleRules } from '../mapping/idle-rules.ts'
import { type Engine, makeEngine } from '../pipeline/engine.ts'
import { type ItemOutcome, type RecordItem, RecordLoop } from '../pipeline/loop.ts'
import { presetOf } from '../pipeline/preset-of.ts'
import { countOne, foldNames, MOST_NAMES } from '../record/notes.ts'
import { formatReject, recordOf } from '../record/reject.ts'
import { dayOf } from '../record/time.ts'
import { fileError, inMidRun } from '../store/file-error.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { sum } from '../text/lists.ts'
import { VERSION } from '../version.ts'
import { carryLinks } from './after/carry.ts'
import { FirstLinks } from './first-links.ts'
import { Forgotten } from './forget/id-set.ts'
import { tellingAll, type UnitWitness, Witness, witnessUnit } from './forget/witness.ts'
import { gatherSeen } from './gather.ts'
import { foldRows, rowsOfUnit } from './gather-rows.ts'
import { generateShare } from './generate.ts'
import type { UnitOrder, UnitResult, WorkerJob } from './job.ts'
import { finishedPiece, type Journal } from './journal.ts'
import { Observations, seenLine } from './observations.ts'
import { OutcomeCount } from './outcome-count.ts'
import { PreviewCount } from './preview.ts'
import { RepeatCount } from './repeats.ts'
import { BufferPool } from './run/buffer-pool.ts'
import { afterAll, KINDS, type Segment, sequence } from './run/frame.ts'
import { FrameTable, RunWriter } from './run/writer.ts'
import { takeSample } from './sample.ts'
import { sealDay } from './seal/day.ts'
import { pieceName, type Task, unitName } from './task.ts'
import { copyTrialDay } from './trial/trial-day.ts'
import { LineFile } from './work-file.ts'

/** Records that a worker parses for rules that nothing matched: beyond, it would take much of the time of a transform. */
const MOST_PARSES = 20_000

/** Does the pieces of one job, or finds them in the journal, and notes each finished one there. A dry run has no journal. */
export class TaskRunner {
  /** Settles when the input under way is closed. */
  reading: Promise<unknown> = Promise.resolve()
  readonly #job: WorkerJob
  readonly #stop: AbortSignal
  readonly #journal: Journal | undefined
  #mapper: UnitMapper | undefined
  #witness: UnitWitness | undefined
  /** Opened once: each one of a bucket has connections and credentials of its own. */
  #out: Promise<Store> | undefined
  #trial: Promise<Store> | undefined
  /** Memory of days that are sealed, for the next ones. */
  readonly #pools: BufferPool[] = []

  /** `stop` ends the reading of an input in the middle. */
  constructor(job: WorkerJob, stop: AbortSignal, journal?: Journal) {
    this.#job = job
    this.#stop = stop
    this.#journal = journal
  }

  /** Only tasks of the type `seal`, or `trial`, may run at the same time. Code `unavailable` when the disk is full. */
  async run(task: Task, progress: (bytes: number) => void): Promise<unknown> {
    try {
      return await this.#run(task, progress)
    } catch (error) {
      // Inputs and the store report their own errors; any other is of the work folder.
      if (this.#job.work === undefined) throw error
      const told = fileError(error, 'write', this.#job.work)
      // The sample reads the input for the first time; by then nothing is written.
      throw task.type === 'sample' ? told : inMidRun(told)
    }
  }

  close(): void {
    this.#mapper?.engine.close()
    this.#witness?.engine.close()
    this.#mapper = undefined
    this.#witness = undefined
  }

  async #run(task: Task, progress: (bytes: number) => void): Promise<unknown> {
    const journal = this.#journal
    const known = journal && finishedPiece(journal, task)
    if (known !== undefined) return known
    switch (task.type) {
      case 'sample': {
        const { engine } = await this.#openMapper()
        return this.#read(() => takeSample(this.#job, engine, this.#stop, task))
      }
      case 'rows':
        return this.#read(() => rowsOfUnit(this.#job, task, this.#stop, progress))
      case 'fold':
        return foldRows(this.#job, task)
      case 'links': {
        const witness = await this.#openWitness()
        return this.#read(() => witnessUnit(witness, task, this.#stop, progress))
      }
      case 'map': {
        const mapper = await this.#openMapper()
        const result = await this.#read(() => mapUnit(mapper, task, this.#stop, progress))
        journal?.finish(pieceName(task), result)
        return result
      }
    }
    // Frees the mapper's buffers, which are needed no more.
    this.close()
    const { work } = this.#job
    if (work === undefined) throw new Error('a dry run has nothing to seal')
    if (task.type === 'gather') return gatherSeen(work, pieceName(task), task.seen, task.shares)
    const result = await this.#finish(work, task, progress)
    journal?.finish(pieceName(task), result)
    if (task.type === 'seal') dropRuns(work, task.segments)
    // The lines of arrival.ndjson stay in the journal, where the last step reads them.
    return task.type === 'trial' || (task.type === 'seal' && journal) ? { ...result, arrival: [] } : result
  }

  #read<T>(read: () => Promise<T>): Promise<T> {
    const reading = read()
    this.reading = reading.catch(() => undefined)
    return reading
  }

  async #openMapper(): Promise<UnitMapper> {
    const { forgotten } = this.#job
    this.#mapper ??= {
      job: this.#job,
      engine: await makeEngine(this.#job, forgotten && new Forgotten(forgotten)),
      frames: new FrameTable(),
      rules: new IdleRules(this.#job.mapping, MOST_PARSES),
      links: new FirstLinks(),
      outcomes: new OutcomeCount(),
    }
    return this.#mapper
  }

  async #openWitness(): Promise<UnitWitness> {
    const job = tellingAll(this.#job)
    const witness = new Witness()
    this.#witness ??= { job, witness, engine: await makeEngine(job, witness) }
    return this.#witness
  }

  /** One of the pieces that come after all input is mapped. */
  async #finish(
    work: string,
    task: Task & { type: 'carry' | 'generate' | 'seal' | 'trial' },
    progress: (bytes: number) => void,
  ) {
    const { after, importId, mapping, out, gzip, trial } = this.#job
    if (task.type === 'carry') return carryLinks(after, task.seen, work)
    if (task.type === 'generate') {
      const { vendor } = await presetOf(this.#job)
      return generateShare(task, work, { vendor, version: VERSION, importId, set: mapping.properties.set })
    }
    this.#out ??= openStore(out)
    const store = await this.#out
    if (task.type === 'trial') {
      this.#trial ??= openStore(trial!.out)
      const into = { store: await this.#trial, gzip: trial!.gzip }
      const made = await copyTrialDay(task.day, task.parts, { people: task.people, whole: store, ...into })
      progress(sum(made.parts, ({ bytes }) => bytes))
      return made
    }
    const { day, segments, known } = task
    const pool = this.#pools.pop() ?? new BufferPool()
    const sealed = await sealDay(day, segments, { folder: work, store, gzip, pool, known })
    this.#pools.push(pool)
    progress(sum(segments, (segment) => segment.bytes))
    return sealed
  }
}

/**
 * Removes the run files of a sealed day that hold no other day: nothing reads them any more. At once, so that a
 * transform takes little more disk than its dataset, and the system reuses the pages for the next part.
 */
function dropRuns(work: string, segments: readonly Segment[]): void {
  for (const { alone, file } of segments) if (alone) rmSync(join(work, file), { force: true })
}

/** What maps the units of a worker, one after the other. */
interface UnitMapper {
  readonly job: WorkerJob
  readonly engine: Engine
  readonly frames: FrameTable
  /** Of all units so far: a rule that an earlier one matched is not idle. */
  readonly rules: IdleRules
  /** The anonymous ids of all units so far. */
  readonly links: FirstLinks
  readonly outcomes: OutcomeCount
}

/** Maps one unit of the input into run files, observations and rejects in the work folder. Throws when stopped. */
async function mapUnit(
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
    unhashed: engine.mapper.unhashed,
    records: engine.exploder ? loop.records : null,
    outcomes: outcomes.take(),
    segments: runs.segments,
    seenFile: seen.written,
    rejectsFile: rejects.written,
    ...(preview && { preview: preview.take(), repeats: repeats!.take() }),
  }
}
