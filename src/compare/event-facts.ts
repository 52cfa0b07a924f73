import { GROUP_EVENT_NAMES, type Head, headId, headName, headUuid, uuidOffset } from '../record/index.ts'
import { groupUuid, identifyUuid } from '../transform/index.ts'
import { IdHash, keysOfPath, LineFacts } from './line-facts.ts'

const PERSONLESS = Buffer.from('"$process_person_profile":false')
const ANON = keysOfPath(['properties', '$anon_distinct_id'])
const GROUP = ['$group_type', '$group_key', '$group_set'].map((name) => keysOfPath(['properties', name]))
/** The end of a day within a timestamp: `2024-03-01`. */
const DAY_LENGTH = 10
const TIMESTAMP_AFTER_UUID = 36 + '","timestamp":"'.length

/** What charts need of an event line. */
export interface EventFacts {
  readonly name: string
  /** Microseconds since the epoch. */
  readonly instant: number
  readonly distinctId: string
  /** The hash of its distinct_id. */
  readonly id: bigint
  /** The service makes no person of it. */
  readonly isPersonless: boolean
  /** Values of the asked properties, in their order. */
  readonly values: ReadonlyArray<string | undefined>
}

/** Reads event lines, and of their properties only those that charts ask for. */
export class EventReader {
  readonly #paths: ReadonlyArray<ReturnType<typeof keysOfPath>>
  readonly #facts = new LineFacts()
  readonly #hash = new IdHash()

  constructor(properties: readonly string[]) {
    this.#paths = properties.map((name) => keysOfPath(['properties', name]))
  }

  read(line: Buffer, end: number, head: Head): EventFacts {
    const { instant, distinctIdEnd } = head
    const distinctId = headId(line, head)
    const isAsked = this.#paths.length > 0 && this.#facts.begin(line, 0, end)
    const personless = line.indexOf(PERSONLESS, distinctIdEnd)
    return {
      name: headName(line, head),
      instant,
      distinctId,
      id: this.#hash.ofText(distinctId),
      isPersonless: personless >= 0 && personless < end,
      values: isAsked ? this.#paths.map((path) => this.#facts.text(path)) : [],
    }
  }

  /** True for an event that transform made of several records: its uuid says so. */
  isGenerated(line: Buffer, end: number, { name, distinctId, instant }: EventFacts): boolean {
    const isGroup = GROUP_EVENT_NAMES.includes(name)
    if ((name !== '$identify' && !isGroup) || !this.#facts.begin(line, 0, end)) return false
    const uuid = headUuid(line, 0)
    if (!isGroup) return uuid === identifyUuid(distinctId, this.#facts.text(ANON) ?? '')
    const [type, key, json] = GROUP.map((path) => this.#facts.text(path) ?? '')
    return uuid === groupUuid({ type: type!, key: key!, json: json! }, instant)
  }

  /** Equal for events that the service takes for one: uuid, time, name and distinct_id. */
  identity(line: Buffer, { distinctIdEnd }: Head): bigint {
    return this.#hash.of(line, [uuidOffset(0), distinctIdEnd])
  }

  /** Equal for events that transform takes for one: they agree in the day only, not in the time. */
  copyOf(line: Buffer, { eventStart, distinctIdEnd }: Head): bigint {
    const uuid = uuidOffset(0)
    const day = uuid + TIMESTAMP_AFTER_UUID
    return this.#hash.of(line, [uuid, uuid + 36, day, day + DAY_LENGTH, eventStart, distinctIdEnd])
  }
}
