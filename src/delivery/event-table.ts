/** Where a record stood: byte offset and number of its line, and the file's name where the input has several. */
export interface SourcePlace {
  readonly offset: number
  readonly line: number
  readonly file: string | undefined
}

/** Numbers kept per event: where it begins in the body, its offset, its line, where its original's text ends. */
const STRIDE = 4

/**
 * What a batch knows of its events besides their bytes. Numbers in one array that serves batch after batch: lists of
 * their own would live as long as a request takes, and keep the collector busy with what it can't collect yet.
 */
export class EventTable {
  count = 0
  #cells = new Float64Array(STRIDE * 1024)
  /** Events of one file come in a row: each entry holds from its index on. */
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

  /** End of the record's own text among the batch's originals; it begins where the one before ends. */
  originalEnd(index: number): number {
    return this.#cells[index * STRIDE + 3]!
  }

  #grow(): void {
    const larger = new Float64Array(this.#cells.length * 2)
    larger.set(this.#cells)
    this.#cells = larger
  }
}
