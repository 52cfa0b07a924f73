import { POSTHAUL_NAMESPACE, uuidV5 } from '../../src/record/uuid.ts'
import type { GroupState } from './draft.ts'
import type { Json } from './json.ts'
import { eventLine, type Outcome, type ReferenceEvent } from './mapper.ts'
import { senderOfGroup } from './service-rules.ts'

/** A line, and where a dataset has it. */
interface PlacedLine {
  readonly line: Json
  readonly instant: number
  readonly seq: number
  readonly kind: number
}

/** What only all records show: twins without an id, the first user of each anonymous id, the changes of each group. */
export class WholeInput {
  readonly #twins = new Map<string, number>()
  readonly #links = new Map<string, { user: string; instant: number; seq: number }>()
  readonly #groups = new Map<string, (GroupState & { instant: number; seq: number })[]>()
  #seq = 0

  /** Takes what became of the next record. */
  take(outcome: Outcome): PlacedLine[] {
    const seq = this.#seq++
    if ('event' in outcome) return [this.#event(outcome.event, seq)]
    if ('filtered' in outcome && outcome.seen) this.#see(outcome.seen, seq)
    return []
  }

  #event(event: ReferenceEvent, seq: number): PlacedLine {
    this.#see(event, seq)
    for (const state of event.groupStates) {
      const key = JSON.stringify([state.type, state.key])
      this.#groups.set(key, [...(this.#groups.get(key) ?? []), { ...state, instant: event.instant, seq }])
    }
    const { line, instant, ownId } = event
    if (ownId) return { line, instant, seq, kind: 2 }
    const uuid = line.slice(9, 45)
    const n = this.#twins.get(uuid) ?? 0
    this.#twins.set(uuid, n + 1)
    const own = n === 0 ? uuid : uuidV5(POSTHAUL_NAMESPACE, `${uuid}:${n}`)
    return { line: line.replace(uuid, own), instant, seq, kind: 3 }
  }

  #see({ link, instant }: Pick<ReferenceEvent, 'link' | 'instant'>, seq: number): void {
    if (!link) return
    const known = this.#links.get(link.anonymous)
    if (!known || instant < known.instant) this.#links.set(link.anonymous, { user: link.user, instant, seq })
  }

  /** The events that are made of this. `constants` and `fixed`: what each of them gets. */
  end(constants: [string, Json][], fixed: [string, Json][], groupEvent: string): PlacedLine[] {
    const said = fixed.filter(([, json]) => json !== 'null' && json !== '""')
    const isOfLibrary = said.some(([name]) => name === '$lib')
    const given = new Map([
      ...constants.filter(([name]) => !(isOfLibrary && name === '$lib_version')),
      ...said,
    ])
    const properties = (own: [string, Json][]) =>
      new Map([...own, ...[...given].filter(([name]) => !own.some(([one]) => one === name))])
    const made = [...this.#links].map(([anonymous, { user, instant, seq }]): PlacedLine => {
      const uuid = uuidV5(POSTHAUL_NAMESPACE, `identify:${user}:${anonymous}`)
      const own = properties([['$anon_distinct_id', JSON.stringify(anonymous)]])
      const line = eventLine({ uuid, instant, event: '$identify', id: user, properties: own })
      return { line, instant, seq, kind: 0 }
    })
    for (const states of this.#groups.values()) {
      let before: Json | undefined
      for (const { type, key, json, instant, seq } of states.sort(
        (a, b) => a.instant - b.instant || a.seq - b.seq,
      )) {
        if (json === before || (json === '{}' && before !== undefined)) continue
        before = json
        const uuid = uuidV5(POSTHAUL_NAMESPACE, JSON.stringify(['group', type, key, instant, json]))
        const own = properties([
          ['$group_type', JSON.stringify(type)],
          ['$group_key', JSON.stringify(key)],
          ['$group_set', json],
        ])
        const id = senderOfGroup(type, key)
        const line = eventLine({ uuid, instant, event: groupEvent, id, properties: own })
        made.push({ line, instant, seq, kind: 1 })
      }
    }
    return made
  }
}
