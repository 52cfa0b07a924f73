import type { Constant } from '../../mapping/constant-properties.ts'
import { LEFT_OUT } from '../../mapping/fates.ts'
import { members, objectJson } from '../../record/json-values.ts'
import { keys } from '../../record/keys.ts'
import type { PartTrace, Trace } from '../trace.ts'

/** What a record became, as tests of a mapping file speak of it. */
export interface TestOutcome {
  /**
   * JSON of its events, without what posthaul puts on every event, which its next version may change, and without the
   * distinct_id that properties repeat.
   */
  readonly events: readonly string[]
  /** Why it, or children of it, were rejected. */
  readonly rejected: readonly string[]
  /** The same in sentences. */
  readonly messages: readonly string[]
  readonly filtered: readonly string[]
  /** Paths of its members that are in no event, each once. */
  readonly leftOut: readonly string[]
  readonly link: PartTrace['link']
}

/** `constants`: what posthaul puts on every event. */
export function testOutcome({ parts, whole }: Trace, constants: readonly Constant[]): TestOutcome {
  const ends = [...(whole ? [whole] : []), ...parts]
  const of = (outcome: 'rejected' | 'filtered') => ends.filter((one) => one.outcome === outcome)
  const reasons = (outcome: 'rejected' | 'filtered') => of(outcome).map(({ reason }) => reason ?? outcome)
  // An empty value has nothing that could be lost.
  const isLost = (fate: string) => fate.startsWith('left out') && fate !== LEFT_OUT.empty
  const lost = parts.flatMap(({ members }) => members.filter(({ fates }) => fates.some(isLost)))
  const links = parts.flatMap(({ link }) => link ?? [])
  return {
    events: parts.flatMap(({ event }) => (event ? [testedEvent(event.line, constants)] : [])),
    rejected: reasons('rejected'),
    messages: of('rejected').flatMap(({ message }) => message ?? []),
    filtered: reasons('filtered'),
    leftOut: [...new Set(lost.map(({ path }) => path))],
    link: links[0] ?? null,
  }
}

function testedEvent(line: string, constants: readonly Constant[]): string {
  const added = new Map(constants.map(({ key, json }) => [keys.text(key), json.toString()]))
  const top = members(line)
  const id = top.find(([name]) => name === 'distinct_id')?.[1]
  const own = ([name, json]: readonly [string, string]) =>
    added.get(name) !== json && !(name === 'distinct_id' && json === id)
  return objectJson(
    top.map(([name, json]) => [name, name === 'properties' ? objectJson(members(json).filter(own)) : json]),
  )
}
