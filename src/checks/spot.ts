import { headUuid } from '../record/head.ts'

/** The longest example, in UTF-16 units. */
const LONGEST = 120

/** How often something was seen, and where first. */
export interface Spotted {
  readonly count: number
  /** The uuid of the first event, and what of it shows the problem; undefined for none. */
  readonly example: string | undefined
}

/** Counts events that have something in common, and remembers the first. */
export class Spot {
  #count = 0
  #example: string | undefined

  /** `detail` is asked for the first time only. `count`: how many events the line stands for. */
  see(line: Buffer, detail?: () => string, count = 1): void {
    this.#count += count
    if (this.#count > count) return
    this.seeText(detail ? `${headUuid(line, 0)}: ${detail()}` : headUuid(line, 0), 0)
  }

  /** The same for something that has no uuid. */
  seeText(example: string, count = 1): void {
    this.#example ??= cutExample(example)
    this.#count += count
  }

  get total(): Spotted {
    return { count: this.#count, example: this.#example }
  }
}

/** An example as it is shown: at most 120 characters of it. */
export function cutExample(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text
}
