import { type ColumnMapping, type ColumnTarget, NO_RULE } from '../mapping/index.ts'
import { members } from '../record/index.ts'
import type { MemberTrace, PartTrace, Trace } from './trace.ts'

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
  return isConverted || type === 'json' ? rule : `${rule}: the cell is no ${type}, and stays text`
}
