import {
  GROUP_EVENT,
  groupSender,
  type Head,
  headUuid,
  type Inventory,
  InventorySum,
  spelledText,
} from '../../record/index.ts'
import { identifyUuid } from '../generate.ts'
import { groupIn, propertiesIn, senderIn } from './event-ids.ts'

/** Takes stock of events by their lines. Of the records that they were made of it knows nothing. */
export class EventStock {
  readonly #sum = new InventorySum()
  readonly #groupEventName: string
  /** Events that look as if they were made of several records. */
  generated = 0

  constructor(groupEventName: string) {
    this.#groupEventName = groupEventName
  }

  add(line: Buffer, head: Head): void {
    const sender = senderIn(line, head)
    this.#sum.distinctIds.add(sender)
    this.#sum.idSketch.add(sender)
    const { properties } = JSON.parse(line.toString('utf8')) as EventValue
    for (const name of Object.keys(properties)) {
      const value = properties[name]
      if (value !== null && value !== '') this.#sum.properties.add(name, 1)
    }
    const event = spelledText(line, head.eventStart + 1, head.eventEnd - 1)
    this.#addGroups(event, properties, head.instant)
    if (this.#isGenerated(event, sender, line)) this.generated++
  }

  take(): Inventory {
    return this.#sum.take()
  }

  /** The same as mapping/inventory-taker.ts counts of drafts. */
  #addGroups(event: string, properties: EventValue['properties'], instant: number): void {
    const groups = properties.$groups
    const isGroupEvent = event === GROUP_EVENT
    if (groups === undefined && !isGroupEvent) return
    const isActedOn = properties.$process_person_profile !== false
    const shown = isObject(groups) ? Object.keys(groups) : []
    const changed = isGroupEvent && typeof properties.$group_type === 'string' ? [properties.$group_type] : []
    for (const type of new Set([...shown, ...changed])) {
      this.#sum.groupTypes.add(type, { events: 1, oldest: instant })
      if (isActedOn) this.#sum.groups.add(type, { events: shown.includes(type) ? 1 : 0, oldest: instant })
    }
  }

  #isGenerated(event: string, sender: string, line: Buffer): boolean {
    if (event === '$identify') {
      const anonymous = propertiesIn(line).get('$anon_distinct_id')
      if (!anonymous?.startsWith('"')) return false
      return headUuid(line, 0) === identifyUuid(sender, JSON.parse(anonymous) as string)
    }
    if (event !== this.#groupEventName) return false
    const group = groupIn(propertiesIn(line))
    return group !== undefined && sender === groupSender(group.type, group.key)
  }
}

interface EventValue {
  readonly properties: Readonly<Record<string, unknown>>
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
