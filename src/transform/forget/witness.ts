import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { IdLink, People, RecordIds } from '../../mapping/mapped.ts'
import type { Mapping } from '../../mapping/mapping.ts'
import type { Engine } from '../../pipeline/engine.ts'
import { RecordLoop } from '../../pipeline/loop.ts'
import type { LinksOrder, WorkerJob } from '../job.ts'
import { sequence } from '../run/frame.ts'
import { unitName } from '../task.ts'
import { digestOf, Forgotten } from './id-set.ts'

/**
 * A file of links between ids, as hashes, since it may be left behind by a kill. Each takes 48 bytes:
 *
 *     from, to   16 bytes each  see digestOf
 *     instant     8 bytes       double, microseconds
 *     seq         8 bytes       double: the record's place in the whole input; -1 for a firm link
 */
const BYTES = 48
const AT_ONCE = 16_384
/** Links of a unit that are remembered: most visitors have one, and show it in every record. */
const KNOWN = 50_000

/** One link of a file. `at` is where its words begin: `from`, then `to`. */
export interface StoredLink {
  words: Uint32Array
  at: number
  instant: number
  seq: number
}

/** Writes the links of one unit, each once unless it is seen earlier. */
export class LinkWriter {
  readonly #fd: number
  readonly #salt: string
  readonly #buffer = new ArrayBuffer(BYTES * AT_ONCE)
  readonly #words = new Uint32Array(this.#buffer)
  readonly #doubles = new Float64Array(this.#buffer)
  readonly #known = new Map<string, number>()
  #count = 0

  constructor(folder: string, name: string, salt: string) {
    this.#fd = openSync(join(folder, name), 'w', 0o600)
    this.#salt = salt
  }

  write({ from, to, firm }: IdLink, instant: number, seq: number): void {
    const name = JSON.stringify([from, to, firm])
    const before = this.#known.get(name)
    if (before !== undefined && before <= instant) return
    if (this.#known.size >= KNOWN) this.#known.clear()
    this.#known.set(name, instant)
    const at = this.#count * BYTES
    this.#words.set(digestOf(this.#salt, from), at / 4)
    this.#words.set(digestOf(this.#salt, to), at / 4 + 4)
    this.#doubles[at / 8 + 4] = instant
    this.#doubles[at / 8 + 5] = firm ? -1 : seq
    if (++this.#count === AT_ONCE) this.#flush()
  }

  close(): void {
    this.#flush()
    closeSync(this.#fd)
  }

  #flush(): void {
    const bytes = Buffer.from(this.#buffer, 0, this.#count * BYTES)
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at)
    this.#count = 0
  }
}

/** The links of a file; the same object each time. */
export function* readLinks(folder: string, name: string): Generator<StoredLink> {
  const fd = openSync(join(folder, name), 'r')
  try {
    const buffer = new ArrayBuffer(BYTES * AT_ONCE)
    const [words, doubles, bytes] = [new Uint32Array(buffer), new Float64Array(buffer), Buffer.from(buffer)]
    const link: StoredLink = { words, at: 0, instant: 0, seq: 0 }
    for (;;) {
      let length = 0
      for (let read = 1; read > 0 && length < bytes.length; length += read)
        read = readSync(fd, bytes, length, bytes.length - length, null)
      for (let at = 0; at < length; at += BYTES) {
        link.at = at / 4
        link.instant = doubles[at / 8 + 4]!
        link.seq = doubles[at / 8 + 5]!
        yield link
      }
      if (length < bytes.length) return
    }
  } finally {
    closeSync(fd)
  }
}

/** Switches by which a preset shows links that it keeps back otherwise. */
const TELLING = ['merge-dangerously', 'keep-session-events']

/** The job that shows all links: without the user's choice of events and days, since a link may be in what is left out. */
export function tellingAll(job: WorkerJob): WorkerJob {
  const mapping: Mapping = {
    ...job.mapping,
    events: { ...job.mapping.events, drop: [], keep: undefined },
    properties: { rename: {}, drop: [], set: {} },
    hash: [],
    filter: { from: undefined, to: undefined, where: {} },
  }
  return { ...job, mapping, switches: [...job.switches, ...TELLING] }
}

/** Writes down what records say of ids, and leaves all of them out: no event is made. */
export class Witness implements People {
  #links: LinkWriter | undefined
  #sought: Forgotten | undefined
  #unit = 0
  #index = 0

  /** Begins a unit. `sought`: marks each id of a list that is found. */
  begin(unit: number, links: LinkWriter, sought: Forgotten | undefined): void {
    this.#links = links
    this.#sought = sought
    this.#unit = unit
    this.#index = 0
  }

  leavesOut({ distinctId, links, instant }: RecordIds): boolean {
    this.#sought?.isForgotten(distinctId)
    for (const link of links) {
      this.#links!.write(link, instant, sequence(this.#unit, this.#index++))
      this.#sought?.isForgotten(link.from)
      this.#sought?.isForgotten(link.to)
    }
    return true
  }

  isForgotten(): boolean {
    return false
  }

  isNamedIn(record: string): boolean {
    this.#sought?.isNamedIn(record)
    return false
  }
}

export function linksName(unit: number): string {
  return `${unitName(unit)}.links`
}

/** What reads units for their links, one after the other. */
export interface UnitWitness {
  /** See `tellingAll`. */
  readonly job: WorkerJob
  /** Told by its mapper. */
  readonly engine: Engine
  readonly witness: Witness
}

/** Reads one unit for its links; returns how many records it has. Throws when stopped. */
export async function witnessUnit(
  { job, engine, witness }: UnitWitness,
  { unit, inputs, range, folder, salt, sought }: LinksOrder,
  stop: AbortSignal,
  progress: (bytes: number) => void,
): Promise<number> {
  const { columns, withTable } = job
  const links = new LinkWriter(folder, linksName(unit), salt)
  witness.begin(unit, links, sought && new Forgotten(sought))
  const loop = new RecordLoop(engine, { take() {} })
  try {
    await loop.read(inputs, { range, columns, withTable, progress, stop })
  } finally {
    links.close()
  }
  return loop.records.read
}
