import { PosthaulError } from '../errors.ts'
import type { ColumnMapping, ColumnTarget } from '../mapping/columns.ts'
import { type TypedCells, typedCells } from '../mapping/typed-text.ts'
import { nearest } from '../text/nearest.ts'

/** One member of the record: a cell, an object of other members, or a cell with an object that other members join. */
export interface PlanNode {
  /** The member's name as JSON, with its colon; in latin1, one character for each byte. */
  readonly key: string
  /** Index of the column that gives the value; -1 for none. */
  readonly column: number
  /** The column's name, for messages. */
  readonly label: string
  readonly json: boolean
  /** For cells of a type; undefined for text. */
  readonly typed: TypedCells | undefined
  readonly children: readonly PlanNode[]
}

interface Growing extends Omit<PlanNode, 'children' | 'column' | 'label' | 'json' | 'typed'> {
  column: number
  label: string
  json: boolean
  typed: TypedCells | undefined
  readonly children: Map<string, Growing>
}

const MOST_NAMES = 10

/** Lays out the record that a header's columns make. Code `config` when header and mapping contradict each other. */
export function planColumns(header: readonly string[], mapping: ColumnMapping, file: string): PlanNode[] {
  checkHeader(header, mapping, file)
  refuseLost(header, mapping, file)
  const root = node('', -1)
  header.forEach((label, column) => {
    const target = targetOf(label, mapping)
    if (target) place(root, target, { column, label, typed: typedCells(target, mapping) }, file)
  })
  return finish(root)
}

function checkHeader(header: readonly string[], { columns, elsewhere }: ColumnMapping, file: string): void {
  const labels = new Set<string>()
  header.forEach((label, index) => {
    if (Object.hasOwn(columns, label) && columns[label] === null) return
    if (label === '') {
      const message = `column ${index + 1} of ${file} has no name`
      throw refuse(
        message,
        'name it in the file, or drop such columns in the mapping file: columns: { "": null }',
      )
    }
    if (labels.has(label)) {
      throw refuse(`${file} has two columns named ${JSON.stringify(label)}`, 'rename one of them in the file')
    }
    labels.add(label)
  })
  for (const [label, target] of Object.entries(columns)) {
    if (target === null || labels.has(label) || elsewhere?.includes(label)) continue
    const meant = nearest(label, header)
    throw refuse(
      `${file} has no column ${JSON.stringify(label)}, which the mapping file names`,
      meant ? `did you mean ${JSON.stringify(meant)}?` : `its columns: ${header.join(', ')}`,
    )
  }
}

/** Throws for columns that would go to members that the preset leaves out: they would be lost in silence. */
function refuseLost(header: readonly string[], mapping: ColumnMapping, file: string): void {
  const { only } = mapping
  if (!only) return
  const lost = header.filter((label) => {
    const [member] = targetOf(label, mapping)?.path ?? []
    return member !== undefined && !only.members.includes(member)
  })
  const [first] = lost
  if (first === undefined) return
  const names = lost.slice(0, MOST_NAMES).map((label) => JSON.stringify(label))
  const more = lost.length > MOST_NAMES ? ` and ${lost.length - MOST_NAMES} more` : ''
  throw refuse(
    `${file} has columns that the preset ${only.preset} does not read: ${names.join(', ')}${more}`,
    `with "preset: events" in the mapping file they are properties; or say "${first}: properties.${first}" or "${first}: null" in its columns:, or columns_rest: drop`,
  )
}

function targetOf(label: string, { columns, rest }: ColumnMapping): ColumnTarget | null {
  if (Object.hasOwn(columns, label)) return columns[label]!
  return rest === 'keep' ? { path: [label], json: false, type: undefined } : null
}

function place(
  root: Growing,
  { path, json }: ColumnTarget,
  { column, label, typed }: Pick<PlanNode, 'column' | 'label' | 'typed'>,
  file: string,
): void {
  let at = root
  for (const segment of path) {
    if (at.column !== -1 && !at.json) throw clash(file, label, at.label)
    const next = at.children.get(segment) ?? node(segment, -1)
    at.children.set(segment, next)
    at = next
  }
  if (at.column !== -1) throw clash(file, label, at.label)
  if (at.children.size > 0 && !json) throw clash(file, label, [...at.children.values()][0]!.label)
  Object.assign(at, { column, label, json, typed })
}

function node(name: string, column: number): Growing {
  const key = Buffer.from(`${JSON.stringify(name)}:`).toString('latin1')
  return { key, column, label: name, json: false, typed: undefined, children: new Map() }
}

function finish(parent: Growing): PlanNode[] {
  return [...parent.children.values()].map((child) => ({ ...child, children: finish(child) }))
}

function clash(file: string, one: string, other: string): PosthaulError {
  return refuse(
    `${file}: the columns ${JSON.stringify(other)} and ${JSON.stringify(one)} would go to the same place`,
    'give one of them another path in the mapping file, or drop it with null',
  )
}

function refuse(message: string, hint: string): PosthaulError {
  return new PosthaulError(message, { code: 'config', hint })
}
