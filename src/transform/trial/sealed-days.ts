import type { Head } from '../../record/head.ts'
import type { EventPart } from '../../store/manifest.ts'
import { openStore } from '../../store/open.ts'
import { readParts } from '../../store/read-parts.ts'
import { interruptedError } from '../pool.ts'
import type { TransformRunOptions } from '../transform-tally.ts'

/** A sealed day, counted from 1970-01-01. */
export interface DayParts {
  readonly day: number
  readonly parts: readonly EventPart[]
}

interface Reading {
  readonly options: Pick<TransformRunOptions, 'interrupted'>
  progress(bytes: number): void
}

/** The sealed days of a transform in its work folder, to be read before some of their events are copied into a trial. */
export class SealedDays {
  readonly #place: string
  readonly #days: readonly DayParts[]
  readonly #reading: Reading

  constructor(place: string, days: readonly DayParts[], reading: Reading) {
    this.#place = place
    this.#days = days
    this.#reading = reading
  }

  /** Reads all events, the last day first. Code `mismatch` if a sealed part was changed since. */
  async read(each: (line: Buffer, head: Head, day: number) => void): Promise<void> {
    const { options, progress } = this.#reading
    const store = await openStore(this.#place)
    const between = async () => {
      if (options.interrupted.aborted) throw interruptedError()
    }
    const done = ({ bytes }: EventPart) => progress(bytes)
    for (const { day, parts } of this.#days.toReversed())
      await readParts(store, parts, { each: (line, head) => each(line, head, day), between, done })
  }
}
