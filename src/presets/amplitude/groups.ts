import { type Draft, type RecordView, Rejection } from '../../mapping/preset.ts'
import { elements, members } from '../../record/json-values.ts'
import { groupSender } from '../../record/rules.ts'
import { textIn } from '../../record/text.ts'
import { changeGroup } from '../required.ts'

interface Group {
  readonly type: string
  readonly key: string
  /** The group's properties as JSON text; undefined when the record has none. */
  readonly properties: string | undefined
}

/**
 * The event joins the first key of each type, since the service holds one. Every key becomes a group of its own, so
 * that none is lost.
 */
export function joinAmplitudeGroups(record: RecordView, draft: Draft): void {
  const groups = record.entries('groups')
  // Most records have none, and this is asked of each.
  if (groups.length === 0 && record.entries('group_properties').length === 0) return
  for (const [type, json] of groups) tellUnused(type, json, draft)
  for (const { type, key, properties } of groupsOf(record)) {
    draft.group(type, key)
    draft.groupProperties(type, key, properties ?? '{}')
  }
}

/** A record that changes groups and nothing else: the first change is the event itself, the others are generated. */
export function changeGroups(record: RecordView, draft: Draft): void {
  const [first, ...others] = changedGroups(record)
  changeGroup(draft, first.type, first.key, first.properties ?? '{}')
  for (const { type, key, properties } of others) draft.groupProperties(type, key, properties ?? '{}')
}

/** The distinct_id of a record that changes groups. Rejects one that names none. */
export function changeSender(record: RecordView): string {
  const [{ type, key }] = changedGroups(record)
  return groupSender(type, key)
}

function changedGroups(record: RecordView): [Group, ...Group[]] {
  const [first, ...others] = groupsOf(record)
  if (first === undefined) throw new Rejection('group_missing', 'a $groupidentify record names no group')
  return [first, ...others]
}

/** The groups in `groups` {type: [key, ...]}, then those only in `group_properties` {type: {key: {...}}}. */
function groupsOf(record: RecordView): Group[] {
  const found: Group[] = []
  const known = record
    .entries('group_properties')
    .flatMap(([type, json]) => members(json).map(([key, properties]) => ({ type, key, properties })))
  for (const [type, json] of record.entries('groups')) {
    for (const key of keysOf(json)) {
      const properties = known.find((group) => group.type === type && group.key === key)?.properties
      found.push({ type, key, properties })
    }
  }
  if (known.length === 0) return found
  const isNew = (group: Group) => !found.some(({ type, key }) => type === group.type && key === group.key)
  return [...found, ...known.filter(isNew)]
}

/** Tells the user of keys that the event can't join. */
function tellUnused(type: string, json: string, draft: Draft): void {
  if (keysOf(json).length > 1)
    draft.unusable(`groups.${type} is an array of several, of which the first is joined`)
  if (given(json).some(isContainer)) draft.unusable(`groups.${type} holds an object or array for a key`)
}

/** One key or a list of them; a number is kept as its digits. */
function keysOf(json: string): string[] {
  return given(json)
    .filter((key) => !isContainer(key))
    .map((key) => textIn(key))
    .filter((key) => key !== '' && key !== 'null')
}

/** The value, or its elements when it is an array, which may be one as text. */
function given(json: string): string[] {
  if (json.startsWith('[')) return elements(json)
  return /^"\s*\[/.test(json) ? (arrayInText(json) ?? [json]) : [json]
}

function arrayInText(json: string): string[] | undefined {
  const text = JSON.parse(json) as string
  try {
    JSON.parse(text)
    return elements(text)
  } catch {
    return undefined
  }
}

function isContainer(json: string): boolean {
  return json.startsWith('[') || json.startsWith('{')
}
