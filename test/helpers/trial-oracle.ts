import { expect } from 'vitest'
import type { TestEvent } from './events.ts'

/*
 * What a trial has to hold, told from the lines of the whole alone, with nothing of src.
 */

const LINKS: Readonly<Record<string, string>> = {
  $identify: '$anon_distinct_id',
  $create_alias: 'alias',
  $merge_dangerously: 'alias',
}
const GROUP_EVENTS = ['$groupidentify', '$group_identify']
const NOBODY = ['anonymous', 'null', '0']

/** An event of the whole, with what the oracle asks of it. */
interface Told {
  readonly line: string
  readonly day: string
  readonly sender: string
  readonly group: string | undefined
  readonly groups: readonly string[]
  readonly acts: boolean
}

/** The name of the person whom each id belongs to. */
function personsIn(lines: readonly string[]): (id: string) => string {
  const next = new Map<string, string[]>()
  for (const line of lines) {
    const { event, distinct_id: id, properties } = JSON.parse(line) as TestEvent
    const other = properties[LINKS[event] ?? ''] as string | undefined
    if (other === undefined || NOBODY.includes(other) || NOBODY.includes(id)) continue
    next.set(id, [...(next.get(id) ?? []), other])
    next.set(other, [...(next.get(other) ?? []), id])
  }
  const names = new Map<string, string>()
  for (const id of next.keys()) {
    for (const left = names.has(id) ? [] : [id]; left.length > 0; ) {
      const one = left.pop()!
      if (names.has(one)) continue
      names.set(one, id)
      left.push(...next.get(one)!)
    }
  }
  return (id) => names.get(id) ?? id
}

function told(line: string): Told {
  const { event, timestamp, distinct_id: sender, properties } = JSON.parse(line) as TestEvent
  const { $group_type: type, $group_key: key, $groups: named = {} } = properties
  const group = GROUP_EVENTS.includes(event) ? `${type}/${key}` : undefined
  const groups = Object.entries(named as object).map((pair) => pair.join('/'))
  return {
    line,
    day: timestamp.slice(0, 10),
    sender,
    group,
    groups: group ? [...groups, group] : groups,
    acts: group === undefined && LINKS[event] === undefined && event !== '$set' && !NOBODY.includes(sender),
  }
}

/** A trial beside its whole: lines in the order of their parts, and what they carry as `$import_job_id`. */
interface TrialAndWhole {
  readonly trial: readonly string[]
  readonly whole: readonly string[]
  readonly ids: { readonly trial: string; readonly whole: string }
}

/** Everyone of whom the whole has something done, with the number of events. */
export function eventsByPerson(whole: readonly string[]): Map<string, number> {
  const personOf = personsIn(whole)
  const all = whole.map(told)
  const people = new Map<string, number>()
  for (const { acts, sender } of all) if (acts) people.set(personOf(sender), 0)
  for (const { sender } of all) {
    const name = personOf(sender)
    if (people.has(name)) people.set(name, people.get(name)! + 1)
  }
  return people
}

/** The trial is the whole's lines, byte for byte but for the mark, of some people and of the groups that they name. Returns the people. */
export function expectWholePeople({ trial, whole, ids }: TrialAndWhole): Set<string> {
  const personOf = personsIn(whole)
  const chosen = new Set(trial.map(told).flatMap(({ acts, sender }) => (acts ? [personOf(sender)] : [])))
  const isOf = ({ sender }: Told) => chosen.has(personOf(sender))
  const all = whole.map(told)
  const groups = new Set(all.filter(isOf).flatMap((one) => one.groups))
  const expected = all.filter((one) => isOf(one) || (one.group !== undefined && groups.has(one.group)))
  expectLines(trial, expected, ids)
  return chosen
}

/** The trial is all lines of the last days on which something was done, and what links and describes their people. */
export function expectLastDays({ trial, whole, ids }: TrialAndWhole, most: number): void {
  const personOf = personsIn(whole)
  const all = whole.map(told)
  const days = [...new Set(all.filter(({ acts }) => acts).map(({ day }) => day))].sort().slice(-most)
  const inDays = all.filter(({ day }) => days.includes(day))
  const people = new Set(inDays.filter(({ acts }) => acts).map(({ sender }) => personOf(sender)))
  const groups = new Set(inDays.flatMap((one) => one.groups))
  const expected = all.filter(
    ({ day, acts, sender, group }) =>
      days.includes(day) ||
      (group !== undefined && groups.has(group)) ||
      (!acts && !NOBODY.includes(sender) && people.has(personOf(sender))),
  )
  expectLines(trial, expected, ids)
}

function expectLines(trial: readonly string[], expected: readonly Told[], ids: TrialAndWhole['ids']): void {
  const mark = (id: string) => `"$import_job_id":${JSON.stringify(id)}`
  const marked = expected.map(({ line }) => line.replace(mark(ids.whole), mark(ids.trial)))
  expect(trial.length).toBe(marked.length)
  expect(trial.filter((line, at) => line !== marked[at])).toEqual([])
}
