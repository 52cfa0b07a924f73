import { hashBytes, mixed } from '../record/bytes.ts'
import { type Head, headId, headName, headUuid, uuidOffset } from '../record/head.ts'
import { readUuidBytes } from '../record/uuid.ts'
import { cutExample } from './spot.ts'

/** What events under one uuid can differ in, the worst first; PostHog takes those that don't for one event. */
const FIELDS = ['distinct_id', 'event', 'timestamp'] as const
export type UuidField = (typeof FIELDS)[number]

const DIFFERS: Readonly<Record<UuidField, string>> = {
  distinct_id: 'two persons',
  event: 'two names',
  timestamp: 'two times',
}

/** Uuids that are each on several events. */
export interface UuidsFound {
  readonly count: number
  /** How many of them are on events that differ in it. */
  readonly by: Readonly<Record<UuidField, number>>
  /** One of them, with the lines of two of its events. */
  readonly example: string | undefined
  /** There were too many uuids to hold: the counts are those of a share of them, times what it is a share of. */
  readonly isEstimated: boolean
}

/** The line of an event. `file`: undefined for an input that is one file. */
export interface LinePlace {
  file: string | undefined
  line: number
}

/** Two words of the uuid's hash, one of the time's, one of name and person, half and half, and the line. */
const WORDS = 5
const [TIME, WHO, LINE] = [2, 3, 4]
const FIRST_SLOTS = 2 ** 12
/** 44 MB. */
const MOST_SLOTS = 2 ** 21
const USED = 1
const BACKSLASH = 0x5c

/**
 * Tells uuids that several events have from those that one event has, however often. Up to a million uuids are held; of more
 * a half, then a quarter and so on, chosen by their hash, so that all events of a uuid are seen or none.
 */
export class UuidsSeen {
  #cells = new Uint32Array(WORDS * FIRST_SLOTS)
  /** 0: free; else 1, and a bit for each field in which its events differ. */
  #marks = new Uint8Array(FIRST_SLOTS)
  #size = 0
  /** These bits of a hash are 0 in those that are held. */
  #share = 0
  #example: string | undefined
  /** Where each file begins, by the number of lines before it. */
  readonly #files: { readonly file: string | undefined; readonly before: number }[] = []
  #lines = 0
  readonly #mostSlots: number
  readonly #uuid = new Uint32Array(4)
  readonly #cell = new Uint32Array(WORDS)

  /** For tests: how many slots the table has at most. */
  constructor(mostSlots = MOST_SLOTS) {
    this.#mostSlots = mostSlots
  }

  look(line: Buffer, head: Head, place: LinePlace): void {
    const before = this.#linesBefore(place.file)
    this.#lines = before + place.line
    const [uuid, cell] = [this.#uuid, this.#cell]
    readUuidBytes(line, uuidOffset(0), uuid)
    let [one, other] = [0, 0x9e3779b9]
    for (const word of uuid) {
      one = mixed(one ^ word)
      other = mixed(Math.imul(other, 31) + word)
    }
    if ((other & this.#share) !== 0) return
    cell[0] = one
    cell[1] = other
    cell[TIME] = mixed(head.instant ^ mixed(head.instant / 2 ** 32))
    const name = textHash(line, head.eventStart, head.eventEnd, () => headName(line, head))
    const id = textHash(line, head.distinctIdStart, head.distinctIdEnd, () => headId(line, head))
    cell[WHO] = (name & 0xffff_0000) | (id >>> 16)
    cell[LINE] = this.#lines
    const slot = this.#find(cell)
    if (this.#marks[slot] === 0) this.#put(slot)
    else this.#compare(slot, line, place)
  }

  get total(): UuidsFound {
    const times = this.#share + 1
    const counts = FIELDS.map(() => 0)
    let all = 0
    for (const mark of this.#marks) {
      if (mark <= USED) continue
      all += times
      for (let field = 0; field < FIELDS.length; field++)
        if ((mark & (2 << field)) !== 0) counts[field]! += times
    }
    const by = Object.fromEntries(FIELDS.map((field, n) => [field, counts[n]!])) as Record<UuidField, number>
    const example = this.#example
    // The share that is held at the end may be without the one that was found.
    const count = Math.max(all, example === undefined ? 0 : 1)
    return { count, by, example, isEstimated: this.#share > 0 }
  }

  #linesBefore(file: string | undefined): number {
    const last = this.#files.at(-1)
    if (last !== undefined && last.file === file) return last.before
    this.#files.push({ file, before: this.#lines })
    return this.#lines
  }

  #compare(slot: number, line: Buffer, place: LinePlace): void {
    const [cells, cell] = [this.#cells, this.#cell]
    const at = slot * WORDS
    const who = cells[at + WHO]! ^ cell[WHO]!
    const differs = [(who & 0xffff) !== 0, who >>> 16 !== 0, cells[at + TIME] !== cell[TIME]]
    for (let field = 0; field < differs.length; field++) {
      if (!differs[field]) continue
      this.#marks[slot]! |= 2 << field
      this.#example ??= cutExample(
        `${headUuid(line, 0)}: ${DIFFERS[FIELDS[field]!]}, ${this.#where(cells[at + LINE]!, place)}`,
      )
    }
  }

  #where(first: number, { file, line }: LinePlace): string {
    const of = this.#files.findLast(({ before }) => before < first)!
    const lineOf = (number: number, name: string | undefined) =>
      `line ${number}${name === undefined ? '' : ` of ${name}`}`
    if (of.file === file) return `lines ${first - of.before} and ${lineOf(line, file).slice('line '.length)}`
    return `${lineOf(first - of.before, of.file)} and ${lineOf(line, file)}`
  }

  #put(free: number): void {
    let slot = free
    const slots = this.#marks.length
    if (this.#size * 2 >= slots) {
      if (slots < this.#mostSlots) this.#rebuild(2 * slots)
      while (this.#size * 2 >= this.#marks.length) {
        this.#share = this.#share * 2 + 1
        this.#rebuild(slots)
      }
      if ((this.#cell[1]! & this.#share) !== 0) return
      slot = this.#find(this.#cell)
    }
    this.#size++
    this.#cells.set(this.#cell, slot * WORDS)
    this.#marks[slot] = USED
  }

  /** Holds what is of the share in a table of `slots`. */
  #rebuild(slots: number): void {
    const [cells, marks] = [this.#cells, this.#marks]
    this.#cells = new Uint32Array(WORDS * slots)
    this.#marks = new Uint8Array(slots)
    this.#size = 0
    for (let from = 0; from < marks.length; from++) {
      const cell = cells.subarray(from * WORDS, from * WORDS + WORDS)
      if (marks[from] === 0 || (cell[1]! & this.#share) !== 0) continue
      const to = this.#find(cell)
      this.#cells.set(cell, to * WORDS)
      this.#marks[to] = marks[from]!
      this.#size++
    }
  }

  #find(cell: Uint32Array): number {
    const [cells, marks] = [this.#cells, this.#marks]
    const mask = marks.length - 1
    let slot = cell[0]! & mask
    while (marks[slot] !== 0 && (cells[slot * WORDS] !== cell[0] || cells[slot * WORDS + 1] !== cell[1]))
      slot = (slot + 1) & mask
    return slot
  }
}

/** Of a JSON string: one text has one hash, however it is spelled. */
function textHash(line: Buffer, start: number, end: number, text: () => string): number {
  if (!line.subarray(start, end).includes(BACKSLASH)) return mixed(hashBytes(line, start + 1, end - 1))
  const spelled = Buffer.from(text())
  return mixed(hashBytes(spelled, 0, spelled.length))
}
