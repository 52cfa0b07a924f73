import { randomUUID } from 'node:crypto'
import pLimit from 'p-limit'
import { ByteWriter } from '../record/byte-writer.ts'
import { uuidOffset } from '../record/head.ts'
import type { Refusal } from '../record/rules.ts'
import { KIB, MIB } from '../text/units.ts'
import type { Batch, Envelope } from './batch.ts'
import { V1Events } from './v1-event.ts'
import { UuidSet, V1Answer } from './v1-form.ts'

// The service takes 10 MiB as they are sent, and 50 MiB unpacked. What is not larger before gzip is not much larger after.
const MOST_BYTES = 10 * MIB - 64 * KIB
/** More than the V1 form adds to a line. */
const ADDED = 256
/** As many as are packed at once. More forms would only hold memory while they wait. */
const AT_ONCE = 4

/** When a request was made: as many digits in any year to come. */
const CREATED_AT = '2000-01-01T00:00:00.000Z'
const CREATED = '{"created_at":"'
const OPENING = `${CREATED}${CREATED_AT}","historical_migration":true,"batch":[`
const CLOSING = ']}'
const COMMA = 0x2c

/** Around the events of batches that are written in the form of Capture V1. */
export const V1_ENVELOPE: Envelope = {
  prefix: Buffer.from(OPENING),
  suffix: Buffer.from(CLOSING),
  inV1Form: true,
}

/** What is the same in every resend of a request. */
interface Origin {
  readonly id: string
  /** When it was first made, in RFC 3339. */
  readonly createdAt: string
}

/** A request of Capture V1, packed. Events are named by their index in the batch. */
export interface V1Request extends Origin {
  readonly packed: Buffer
  readonly events: readonly number[]
  /** What the service answers if it stores each of them: an answer is known by its bytes sooner than by its text. */
  readonly stored: Buffer
  /** Events that have to go in another request, after this one. */
  readonly left: readonly number[]
  /** Events that V1 would drop, which are not sent. */
  readonly refused: readonly { readonly index: number; readonly refusal: Refusal }[]
}

type Written = Pick<V1Request, 'events' | 'left' | 'refused' | 'stored'>

/** Makes requests of Capture V1 of the event lines of batches. */
export class V1Requests {
  readonly #pack: (body: Buffer) => Promise<Buffer>
  readonly #wall: () => number
  readonly #limit = pLimit(AT_ONCE)
  readonly #form: V1Events
  readonly #uuids = new UuidSet()
  readonly #answer = new V1Answer()
  /** Bodies that are packed. New ones for every request would be much to collect. */
  readonly #spare: ByteWriter[] = []

  /** `wall`: milliseconds since the epoch. `mayHavePlaces`: as `V1Events` has it. */
  constructor(pack: (body: Buffer) => Promise<Buffer>, wall: () => number, mayHavePlaces: boolean) {
    this.#pack = pack
    this.#wall = wall
    this.#form = new V1Events(mayHavePlaces)
  }

  /** Makes a request of these events of a batch, or of the first of them; a resend has the origin of the first request. */
  make(batch: Batch, events: readonly number[], origin?: Origin): Promise<V1Request> {
    return this.#limit(async () => {
      const { id, createdAt } = origin ?? {
        id: randomUUID(),
        createdAt: new Date(this.#wall()).toISOString(),
      }
      const ready = origin ? undefined : this.#ready(batch, events, createdAt)
      if (ready) return { id, createdAt, packed: await this.#pack(batch.body()), ...ready }
      const body = this.#spare.pop() ?? new ByteWriter()
      body.length = 0
      body.ascii(OPENING)
      stamp(body.bytes, createdAt)
      const written = this.#write(batch, events, body)
      body.ascii(CLOSING)
      const packed = await this.#pack(body.bytes.subarray(0, body.length))
      this.#spare.push(body)
      return { id, createdAt, packed, ...written }
    })
  }

  /** The request of all events of a batch whose body is one already. */
  #ready(batch: Batch, events: readonly number[], createdAt: string): Written | undefined {
    const stored = batch.v1Form?.stored
    if (!stored || events.length < batch.events || batch.bodyBytes > MOST_BYTES) return undefined
    stamp(batch.lines.bytes, createdAt)
    return { events, stored, left: [], refused: [] }
  }

  #write(batch: Batch, all: readonly number[], body: ByteWriter): Written {
    const { lines, v1Form } = batch
    const form = this.#form
    const uuids = this.#uuids
    const events: number[] = []
    const refused: { index: number; refusal: Refusal }[] = []
    const answer = this.#answer
    answer.clear()
    form.begin(lines)
    uuids.clear()
    let i = 0
    for (; i < all.length; i++) {
      const index = all[i]!
      const start = batch.startOf(index)
      const end = batch.endOf(index)
      const isFull = events.length > 0 && body.length + end - start + ADDED > MOST_BYTES
      // The service refuses a request that has a uuid twice. In two requests the second merges with the first.
      const uuidStart = uuidOffset(start)
      if (isFull || !uuids.add(lines.words, uuidStart)) break
      const refusal = v1Form ? v1Form.refusalOf(index) : form.read(start, end)
      if (refusal) {
        refused.push({ index, refusal })
        continue
      }
      if (events.length > 0) body.byte(COMMA)
      if (v1Form) body.copyFrom(lines, start, end)
      else form.write(body)
      events.push(index)
      answer.add(lines, uuidStart)
    }
    return { events, stored: Buffer.from(answer.bytes), left: all.slice(i), refused }
  }
}

/** Writes when a request was made into its body. */
function stamp(body: Buffer, createdAt: string): void {
  body.write(createdAt, CREATED.length, 'latin1')
}

const form = new V1Events(false)

/** Why V1 would drop events of a batch, for each of these. */
export function unfitForV1(batch: Batch): readonly Refusal[] {
  const refusals: Refusal[] = []
  form.begin(batch.lines)
  for (let index = 0; index < batch.events; index++) {
    const refusal = form.read(batch.startOf(index), batch.endOf(index))
    if (refusal) refusals.push(refusal)
  }
  return refusals
}
