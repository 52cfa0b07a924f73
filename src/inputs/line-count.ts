const LF = 0x0a

/** Tells the line number, from 1, of an offset in a stream. Offsets must be asked for in rising order. */
export class LineCount {
  #chunk: Buffer = Buffer.alloc(0)
  /** Offset of the chunk's first byte. */
  #base = 0
  #counted = 0
  #line = 1

  /** Takes the stream's next bytes and lets the ones before go. */
  chunk(chunk: Buffer): void {
    this.#count(this.#chunk.length)
    this.#base += this.#chunk.length
    this.#chunk = chunk
    this.#counted = 0
  }

  at(offset: number): number {
    this.#count(offset - this.#base)
    return this.#line
  }

  #count(end: number): void {
    for (;;) {
      const at = this.#chunk.indexOf(LF, this.#counted)
      if (at === -1 || at >= end) break
      this.#line++
      this.#counted = at + 1
    }
    this.#counted = Math.max(this.#counted, Math.min(end, this.#chunk.length))
  }
}
