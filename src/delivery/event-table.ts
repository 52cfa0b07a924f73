/** Where a record is: byte offset and number of its line, and the file's name if the input has several files. */
export interface SourcePlace {
  readonly offset: number
  readonly line: number
  readonly file: string | undefined
}

/** Numbers kept for each event: its start in the body, its offset, its line, and the end of its original's text. */
const STRIDE = 4

/**
 * What a batch knows of its events besides their bytes. The numbers are in one array that is reused by batch after
 * batch. Separate objects would live as long as a request takes, and the garbage collector would copy them for nothing.
 */
export class EventTable {
  count = 0
  #cells = new Float64Array(STRIDE * 1024)
  /** The events of one file are consecutive: an entry is valid from the event `from` until the next entry. */
  readonly #files: Array<{ readonly from: number; readonly file: string | undefined }> = []

  clear(): void {
    this.count = 0
    this.#files.length = 0
  }

  add(start: number, { offset, line, file }: SourcePlace, originalEnd: number): void {
    const cell = this.count * STRIDE
    if (cell === this.#cells.length) this.#grow()
    const cells = this.#cells
    cells[cell] = start
    cells[cell + 1] = offset
    cells[cell + 2] = line
    cells[cell + 3] = originalEnd
    const files = this.#files
    if (files.length === 0 || files[files.length - 1]!.file !== file) files.push({ from: this.count, file })
    this.count++
  }

  /** Index of the event's first byte in the body. */
  start(index: number): number {
    return this.#cells[index * STRIDE]!
  }

  source(index: number): SourcePlace {
    const cell = index * STRIDE
    const { file } = this.#files.findLast(({ from }) => from <= index)!
    return { offset: this.#cells[cell + 1]!, line: this.#cells[cell + 2]!, file }
  }

  /** End of the record's own text among the batch's originals. It begins where the previous one ends. */
  originalEnd(index: number): number {
    return this.#cells[index * STRIDE + 3]!
  }

  #grow(): void {
    const larger = new Float64Array(this.#cells.length * 2)
    larger.set(this.#cells)
    this.#cells = larger
  }
}
