import { DistinctCount } from '../record/distinct-count.ts'
import { type Head, headId } from '../record/head.ts'
import { isNobody, mayBeNobody } from '../record/nobody.ts'
import { Spot, type Spotted } from './spot.ts'

/** So many ids of nobody are told apart: quoted or written with blanks, a few words make many. */
const MOST_NOBODY = 100

/** What the events say of people. */
export interface PeopleSeen {
  /** Right to about two in a hundred. */
  readonly distinctIds: number
  /** Events that name two ids, as those that make them one person do. */
  readonly identityEvents: number
  /** Events of ids that stand for nobody, and these ids, commonest first. */
  readonly nobody: Spotted & { readonly ids: readonly string[] }
}

/** Reads event lines one by one, and counts people. */
export class PeopleCount {
  readonly #ids = new DistinctCount()
  readonly #nobody = new Spot()
  readonly #nobodyIds = new Map<string, number>()
  identityEvents = 0

  look(line: Buffer, head: Head): void {
    const { distinctIdStart, distinctIdEnd } = head
    this.#ids.addBytes(line, distinctIdStart + 1, distinctIdEnd - 1)
    if (mayBeNobody(line, distinctIdStart + 1, distinctIdEnd - 1)) this.#lookAtId(line, head)
  }

  get total(): PeopleSeen {
    const ids = [...this.#nobodyIds].sort(([, a], [, b]) => b - a).map(([id]) => id)
    return {
      distinctIds: this.#ids.estimate,
      identityEvents: this.identityEvents,
      nobody: { ...this.#nobody.total, ids },
    }
  }

  #lookAtId(line: Buffer, head: Head): void {
    const id = headId(line, head)
    if (!isNobody(id)) return
    this.#nobody.see(line, () => JSON.stringify(id))
    const known = this.#nobodyIds.get(id)
    if (known !== undefined || this.#nobodyIds.size < MOST_NOBODY) this.#nobodyIds.set(id, (known ?? 0) + 1)
  }
}
