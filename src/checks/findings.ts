import { headUuid, readHead } from '../record/head.ts'
import type { GapSink } from './gaps.ts'
import { headDay, headName } from './group-reader.ts'
import type { MissingFile } from './missing-file.ts'
import type { FoundId } from './service-view.ts'
import type { NamedEvent } from './verification.ts'

/** The most missing events, and the most unknown ones, that are named. */
const MOST_NAMED = 1000

/** Takes in which events differ: names the first, and writes those that are missing to a file. */
export class Findings implements GapSink {
  readonly missingEvents: NamedEvent[] = []
  readonly unknownEvents: NamedEvent[] = []
  readonly #file: MissingFile

  constructor(file: MissingFile) {
    this.#file = file
  }

  missing(line: Buffer): void {
    this.#file.add(line)
    if (this.missingEvents.length >= MOST_NAMED) return
    const head = readHead(line, 0, line.length)!
    const { distinctIdStart, distinctIdEnd } = head
    const distinctId = JSON.parse(line.toString('utf8', distinctIdStart, distinctIdEnd)) as string
    this.missingEvents.push({
      day: headDay(head),
      event: headName(line, head),
      uuid: headUuid(line, 0),
      distinctId,
    })
  }

  unknown(day: string, { event, uuid, distinctId }: FoundId): void {
    if (this.unknownEvents.length < MOST_NAMED) this.unknownEvents.push({ day, event, uuid, distinctId })
  }

  flush(): Promise<void> {
    return this.#file.flush()
  }
}
