import type { Draft, IdDraft, RecordView } from '../../mapping/index.ts'
import { members } from '../../record/index.ts'

/** Lists of {index, value} by their slots, and what a value is called before its index. A hit's goes before the visit's. */
const NUMBERED: ReadonlyArray<readonly [slot: string, name: string]> = [
  ['hit_dimensions', 'dimension'],
  ['metrics', 'metric'],
  ['dimensions', 'dimension'],
]

/** Gives custom dimensions and metrics the names that Universal Analytics had for them: `dimension1`, `metric2`. */
export function nameDimensions(record: RecordView, draft: IdDraft): void {
  for (const [slot, name] of NUMBERED) {
    for (const element of record.elements(slot)) {
      const parts = new Map(members(element))
      const [index, value] = [bare(parts.get('index')), parts.get('value')]
      if (!/^\d{1,4}$/.test(index) || value === undefined)
        draft.unusable(`${slot} has an element without an index`)
      else if (!draft.has(name + index)) draft.property(name + index, value)
      else if (draft.json(name + index) !== value) draft.property(`$ua_${name}${index}`, value)
    }
  }
  for (const element of record.elements('variables')) {
    const parts = new Map(members(element))
    const [quoted, value] = [parts.get('customVarName'), parts.get('customVarValue')]
    if (!quoted?.startsWith('"') || value === undefined) {
      draft.unusable('customVariables has an element without a name')
      continue
    }
    const name = JSON.parse(quoted) as string
    const to = !draft.has(name) ? name : draft.json(name) === value ? undefined : `$ua_${name}`
    draft.parts.note('variables', { path: `${name}.customVarValue`, json: value, to, outranked: true })
    if (to !== undefined) draft.property(to, value)
    // Which of the five variables it was: its name says more.
    const index = parts.get('index')
    if (index !== undefined)
      draft.parts.note('variables', { path: `${name}.index`, json: index, to: undefined })
  }
}

/** Puts a list under a property as it is. Empty ones are on most hits and say nothing. */
export function copyUnlessEmpty(record: RecordView, draft: Draft, slot: string, property: string): void {
  const json = record.json(slot)
  if (json !== undefined && !/^\[\s*\]$/.test(json)) draft.copy(property, slot)
}

function bare(json: string | undefined): string {
  return (json ?? '').replaceAll('"', '')
}
