/** So many buffers are kept from one object to the next. */
const MOST_SOURCES = 16

/** The buffers that the members of an object are spans of, by number, each with a view to copy from. */
export class Sources {
  readonly buffers: Buffer[] = []
  readonly views: DataView[] = []

  /** The number of a buffer. */
  of(buffer: Buffer): number {
    const { buffers } = this
    for (let i = 0; i < buffers.length; i++) if (buffers[i] === buffer) return i
    this.views.push(new DataView(buffer.buffer, buffer.byteOffset, buffer.length))
    return buffers.push(buffer) - 1
  }

  /** Between two objects. A few buffers stay, since the next object most likely needs them. */
  trim(): void {
    if (this.buffers.length <= MOST_SOURCES) return
    this.buffers.length = 0
    this.views.length = 0
  }
}
