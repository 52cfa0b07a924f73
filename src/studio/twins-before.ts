import type { ColumnMapping, ColumnTarget } from '../mapping/columns.ts'
import { NO_RULE } from '../mapping/record-tracer.ts'
import type { ItemOutcome, RecordVisitor } from '../pipeline/loop.ts'
import { headUuid } from '../record/head.ts'
import { members } from '../record/json-values.ts'
import { nthTwin } from '../record/uuid.ts'
import type { MemberTrace, PartTrace, Trace } from './trace.ts'

/**
 * Gives the events of a trace the uuids that a transform gives them. A record without an id has the uuid of its content,
 * which those that are the same before it have too: it is told apart by how many they are.
 */
export class TwinsBefore implements RecordVisitor {
  readonly #trace: Trace
  readonly #counts = new Map<string, number>()

  constructor(trace: Trace) {
    this.#trace = trace
    for (const { event } of trace.parts) if (event?.uuid_from === 'content') this.#counts.set(event.uuid, 0)
  }

  /** False where no other record can have a say. */
  get areAsked(): boolean {
    return this.#counts.size > 0
  }

  /** Counts a record, or a child of one, that comes before. */
  take(outcome: ItemOutcome): void {
    if (outcome.status !== 'event' || outcome.ownId) return
    const uuid = headUuid(outcome.line.bytes, 0)
    const before = this.#counts.get(uuid)
    if (before !== undefined) this.#counts.set(uuid, before + 1)
  }

  /** The trace, after all records before it were seen. */
  toldApart(): Trace {
    const counts = new Map(this.#counts)
    const parts = this.#trace.parts.map((part): PartTrace => {
      const { event } = part
      const twin = event?.uuid_from === 'content' ? (counts.get(event.uuid) ?? 0) : 0
      if (event?.uuid_from === 'content') counts.set(event.uuid, twin + 1)
      if (!event || twin === 0) return part
      const uuid = nthTwin(event.uuid, twin)
      const places = event.places.map((one) =>
        one.place === 'uuid' ? { ...one, value: JSON.stringify(uuid) } : one,
      )
      // The uuid is the first member of the line.
      return { ...part, event: { ...event, twin, uuid, line: event.line.replace(event.uuid, uuid), places } }
    })
    return { ...this.#trace, parts }
  }
}

/**
 * Puts the text of cells beside the values that column types made of them. `row` is the record as its file has it;
 * undefined where that is what was traced.
 */
export function withCells(trace: Trace, row: string | undefined, { columns }: ColumnMapping): Trace {
  if (row === undefined) return trace
  const typed = new Map<string, ColumnTarget>()
  for (const target of Object.values(columns)) if (target?.type) typed.set(target.path.join('.'), target)
  const shown = (member: MemberTrace): MemberTrace => {
    const target = typed.get(member.path)
    const cell = target && memberAt(row, target.path)
    if (cell === undefined || memberAt(trace.record, target!.path) !== member.value) return member
    const rule = ruleOf(target!, cell !== member.value)
    return { ...member, cell, rules: [rule, ...member.rules.filter((one) => one !== NO_RULE)] }
  }
  const parts = trace.parts.map((part): PartTrace => ({ ...part, members: part.members.map(shown) }))
  return { ...trace, record: row, parts }
}

/** JSON of a member of a record, the last of its name. */
function memberAt(json: string, path: readonly string[]): string | undefined {
  let value: string | undefined = json
  for (const name of path) value = value && members(value).findLast(([own]) => own === name)?.[1]
  return value
}

/** In the words of a mapping file: `column type number, decimal ,`. */
function ruleOf({ type, decimal, minus, currency, formats, separator }: ColumnTarget, isConverted: boolean) {
  const settings = Object.entries({ decimal, minus, currency, format: formats?.join(' or '), separator })
  const given = settings.flatMap(([name, value]) => (value === undefined ? [] : [`, ${name} ${value}`]))
  const rule = `column type ${type}${given.join('')}`
  return isConverted || type === 'json' ? rule : `${rule}: the cell isn't a ${type}, and stays text`
}
