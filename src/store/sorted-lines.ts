import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { KIB, MIB } from '../text/units.ts'
import { compareTexts } from '../text/words.ts'
import { fileError } from './file-error.ts'

/** Lines held in memory before they are sorted and written as a run, in characters. */
const RUN_LENGTH = 16 * MIB
/** So many runs are merged into one: each has a block of memory while it is read. */
const MOST_RUNS = 64
const BLOCK_BYTES = 128 * KIB
const LINE_END = 0x0a

/** So that two of one name share no file. */
let count = 0

/** A key and a text without a line break. */
export type Line = readonly [key: string, text: string]

/** Lines in order in a file: bytes from `start` to `end`. */
export interface SortedRun {
  readonly path: string
  readonly start: number
  readonly end: number
}

/**
 * Lines that come in any order and are read in the order of their keys, with the memory of one run. Lines of one key
 * keep the order in which they came.
 */
export class SortedLines {
  readonly #folder: string
  readonly #name: string
  readonly #runLength: number
  #held: Line[] = []
  #length = 0
  #runs: SortedRun[] = []
  readonly #own = new Set<string>()
  #made = 0

  /** `name` is what its files are called. */
  constructor(folder: string, name: string, runLength = RUN_LENGTH) {
    this.#folder = folder
    this.#name = `${name}-${++count}`
    this.#runLength = runLength
  }

  add(key: string, text: string): void {
    this.#held.push([key, text])
    this.#length += key.length + text.length + 64
    if (this.#length >= this.#runLength) this.#flush()
  }

  /** Adds lines that are in order already, as `linesText` writes them. Their file stays when these are removed. */
  adopt(run: SortedRun): void {
    this.#flush()
    this.#runs.push(run)
  }

  /** All lines in order. Can be read again. */
  *read(): Generator<Line> {
    if (this.#runs.length === 0) {
      yield* this.#sorted()
      return
    }
    this.#flush()
    this.#reduce()
    yield* merged(this.#runs)
  }

  /** The lines of one key after the other. */
  *groups(): Generator<readonly [key: string, texts: readonly string[]]> {
    let open: { readonly key: string; readonly texts: string[] } | undefined
    for (const [key, text] of this.read()) {
      if (open?.key === key) {
        open.texts.push(text)
        continue
      }
      if (open) yield [open.key, open.texts]
      open = { key, texts: [text] }
    }
    if (open) yield [open.key, open.texts]
  }

  remove(): void {
    for (const path of this.#own) rmSync(path, { force: true })
    this.#own.clear()
    this.#runs = []
    this.#held = []
  }

  #sorted(): Line[] {
    return this.#held.sort(([a], [b]) => compareTexts(a, b))
  }

  #flush(): void {
    if (this.#held.length > 0) this.#runs.push(this.#write(this.#sorted()))
    this.#held = []
    this.#length = 0
  }

  /** Merges runs that follow each other until they are few. Each line is written once for each 64-fold of runs. */
  #reduce(): void {
    while (this.#runs.length > MOST_RUNS) {
      const runs = this.#runs
      this.#runs = []
      for (let at = 0; at < runs.length; at += MOST_RUNS) {
        const some = runs.slice(at, at + MOST_RUNS)
        this.#runs.push(this.#write(merged(some)))
        for (const { path } of some) if (this.#own.delete(path)) rmSync(path)
      }
    }
  }

  #write(lines: Iterable<Line>): SortedRun {
    const path = join(this.#folder, `${this.#name}-${this.#made++}.run`)
    this.#own.add(path)
    return writeLines(path, lines)
  }
}

/** Writes lines, which come in order, to a file. */
export function writeLines(path: string, lines: Iterable<Line>): SortedRun {
  let [fd, end] = [-1, 0]
  try {
    fd = openSync(path, 'w', 0o600)
    for (const bytes of linesText(lines)) {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
      end += bytes.length
    }
  } catch (error) {
    throw fileError(error, 'write', path)
  } finally {
    if (fd >= 0) closeSync(fd)
  }
  return { path, start: 0, end }
}

function* linesText(lines: Iterable<Line>): Generator<Buffer> {
  let text = ''
  for (const [key, value] of lines) {
    text += `${JSON.stringify(key)}\t${value}\n`
    if (text.length < BLOCK_BYTES) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}

/** The lines of several runs in order; those of earlier runs first where keys are equal. */
function* merged(runs: readonly SortedRun[]): Generator<Line> {
  const readers = runs.map(linesOf)
  const heads = readers.map((reader) => reader.next().value)
  try {
    for (;;) {
      let first = -1
      for (const [at, head] of heads.entries()) {
        if (head && (first < 0 || compareTexts(head[0], heads[first]![0]) < 0)) first = at
      }
      if (first < 0) return
      yield heads[first]!
      heads[first] = readers[first]!.next().value
    }
  } finally {
    for (const reader of readers) reader.return(undefined)
  }
}

function* linesOf({ path, start, end: last }: SortedRun): Generator<Line, undefined> {
  const fd = openSync(path, 'r')
  try {
    const block = Buffer.allocUnsafe(BLOCK_BYTES)
    let rest: Buffer = Buffer.alloc(0)
    for (let place = start; ; ) {
      const got = readSync(fd, block, 0, Math.min(block.length, last - place), place)
      if (got === 0) return undefined
      place += got
      const bytes = rest.length === 0 ? block.subarray(0, got) : Buffer.concat([rest, block.subarray(0, got)])
      let from = 0
      for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, from)) {
        yield lineOf(bytes.toString('utf8', from, end))
        from = end + 1
      }
      rest = Buffer.from(bytes.subarray(from))
    }
  } finally {
    closeSync(fd)
  }
}

function lineOf(text: string): Line {
  const tab = text.indexOf('\t')
  return [JSON.parse(text.slice(0, tab)) as string, text.slice(tab + 1)]
}
