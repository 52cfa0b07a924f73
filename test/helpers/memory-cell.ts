import { PosthaulError } from '../../src/errors.ts'
import type { Cell } from '../../src/state/cell.ts'
import type { PutCondition } from '../../src/store/store.ts'

/** A cell in memory. `down` makes every call fail, as a store out of reach does. */
export class MemoryCell implements Cell {
  readonly address = 'memory'
  text: string | undefined
  down = false
  #version = 0

  async load() {
    this.#assertUp()
    return this.text === undefined
      ? undefined
      : { bytes: Buffer.from(this.text), version: String(this.#version) }
  }

  async put(content: string | Uint8Array, condition?: PutCondition): Promise<string> {
    this.#assertUp()
    const holds =
      condition === 'absent' ? this.text === undefined : condition?.version === String(this.#version)
    if (condition && !holds) throw new PosthaulError('another run was first', { code: 'mismatch' })
    this.text = Buffer.from(content).toString()
    return String(++this.#version)
  }

  async clear(version: string): Promise<void> {
    await this.put('', { version })
  }

  #assertUp(): void {
    if (this.down) throw new PosthaulError('out of reach', { code: 'unavailable' })
  }
}
