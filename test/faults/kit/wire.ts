import type { Socket } from 'node:net'

const END_OF_HEAD = Buffer.from('\r\n\r\n')

/** Takes bytes from a socket, no sooner than they are asked for. */
export class Wire {
  readonly #chunks: AsyncIterator<Buffer>
  #held = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.#chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  /** A request's head, without the blank line; undefined if the client is gone. */
  async head(): Promise<string | undefined> {
    for (;;) {
      const end = this.#held.indexOf(END_OF_HEAD)
      if (end !== -1) return this.#cut(end + END_OF_HEAD.length).toString('latin1', 0, end)
      if (!(await this.#more())) return undefined
    }
  }

  /** Between one and `most` bytes; undefined if the client is gone. */
  async some(most: number): Promise<Buffer | undefined> {
    if (this.#held.length === 0 && !(await this.#more())) return undefined
    return this.#cut(Math.min(most, this.#held.length))
  }

  #cut(length: number): Buffer {
    const bytes = this.#held.subarray(0, length)
    this.#held = this.#held.subarray(length)
    return bytes
  }

  async #more(): Promise<boolean> {
    const next = await this.#chunks.next().catch(() => undefined)
    if (next === undefined || next.done) return false
    this.#held = Buffer.concat([this.#held, next.value])
    return true
  }
}
