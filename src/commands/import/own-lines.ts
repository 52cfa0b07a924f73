import { constantsOf, tailOf } from '../../mapping/constant-properties.ts'
import { ByteWriter } from '../../record/byte-writer.ts'
import { writeEvent } from '../../record/head.ts'
import { exactJson } from '../../record/json-values.ts'
import { keyOf } from '../../record/keys.ts'
import { Members } from '../../record/members.ts'
import { mend, noMends } from '../../record/mend.ts'
import { POSTHAUL_NAMESPACE, uuidV5, uuidWords } from '../../record/uuid.ts'

/** An event that an import makes itself. */
interface OwnEvent {
  readonly event: string
  readonly distinctId: string
  /** Microseconds since the epoch. */
  readonly instant: number
  /** None of those that every event gets. */
  readonly properties: Readonly<Record<string, unknown>>
}

/** Writes the lines of an import's own events: see delivery/own-events.ts. */
export class OwnLines {
  readonly #writer = new ByteWriter()
  readonly #members = new Members()
  readonly #tail: ByteWriter
  readonly #importId: string

  /** `checkpoint` is its full address: verify tells the events of one import by it. */
  constructor(version: string, checkpoint: string) {
    const importId = uuidV5(POSTHAUL_NAMESPACE, `own:${checkpoint}`)
    this.#importId = importId
    this.#tail = tailOf(constantsOf({ vendor: 'posthaul', version, importId }))
  }

  /**
   * A line without a line end. The uuid is a function of the import and the event: a history that was exported from a
   * project holds the events that the import into it made.
   */
  line({ event, distinctId, instant, properties }: OwnEvent): Buffer {
    const writer = this.#writer
    writer.length = 0
    this.#members.clear()
    for (const [name, value] of Object.entries(properties)) {
      const json = takeable(exactJson(value))
      this.#members.put(keyOf(name), json, 0, json.length)
    }
    const name = JSON.stringify(['own', this.#importId, event, distinctId, instant, properties])
    const uuid = uuidWords(uuidV5(POSTHAUL_NAMESPACE, name))
    const [own, tail] = [this.#members, this.#tail]
    writeEvent(writer, { uuid, instant, event, distinctId, properties: own, tail })
    return Buffer.from(writer.bytes.subarray(0, writer.length))
  }
}

/** Without what the service would refuse the event for: the project may hold it all the same. */
function takeable(json: string): Buffer {
  const bytes = Buffer.from(json)
  return mend(bytes, 0, bytes.length, { mends: noMends() })
}
