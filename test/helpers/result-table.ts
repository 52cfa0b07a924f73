import { z } from 'zod'
import { RESULTS } from '../../src/commands/results.ts'

interface Shape {
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly additionalProperties?: Shape | false
  readonly anyOf?: readonly Shape[]
}

const SHAPES = Object.fromEntries(
  Object.entries(RESULTS).map(([command, result]) => [command, z.toJSONSchema(result) as Shape]),
)

/** The table of what each command prints with `--json`, as docs/ has it: a row a command. */
export function resultTable(): string {
  const rows = Object.keys(SHAPES).map((command) => `| \`${command}\` | ${rowOf(command)} |`)
  return ['| command | members |', '|---|---|', ...rows].join('\n')
}

/** One that has all that a command before it has says so, and names what is its own. */
function rowOf(command: string): string {
  const members = ownMembers(command)
  const other = Object.keys(SHAPES).find(
    (name) => name !== command && Object.keys(ownMembers(name)).every((member) => member in members),
  )
  if (other === undefined) return listOf(members)
  const known = ownMembers(other)
  const own = Object.entries(members).filter(([name]) => !(name in known))
  return `those of \`${other}\`, ${listOf(Object.fromEntries(own))}`
}

function ownMembers(command: string): Readonly<Record<string, Shape>> {
  const { version: _, command: __, ...members } = membersOf(SHAPES[command]!)
  return members
}

function listOf(members: Readonly<Record<string, Shape>>): string {
  return Object.entries(members)
    .map(([name, shape]) => {
      const about = [shape.description ?? '', listOf(membersOf(shape))].filter((text) => text !== '')
      return `\`${name}\`${about.length > 0 ? ` (${about.join(': ')})` : ''}`
    })
    .join(', ')
}

/** The members of an object, or of the objects in a list or under names of the data. */
function membersOf(shape: Shape): Readonly<Record<string, Shape>> {
  if (shape.properties) return shape.properties
  return Object.assign({}, ...innerOf(shape).map(membersOf))
}

/**
 * The members of a command's result, however deep, each by its name and by its path (`counts.read`), and the words that stand
 * for values.
 */
export function namesOf(command: string): { readonly members: Set<string>; readonly words: Set<string> } {
  const found = { members: new Set<string>(), words: new Set<string>() }
  const walk = (shape: Shape, path: readonly string[]): void => {
    path.forEach((_, at) => void found.members.add(path.slice(at).join('.')))
    const told = [...(shape.description ?? '').matchAll(/`([^`]+)`/g)].map(([, word]) => word)
    for (const word of [shape.const, ...(shape.enum ?? []), ...told]) found.words.add(String(word))
    for (const [name, inner] of Object.entries(shape.properties ?? {})) walk(inner, [...path, name])
    for (const inner of innerOf(shape)) walk(inner, path)
  }
  walk(SHAPES[command]!, [])
  return found
}

function innerOf({ items, additionalProperties, anyOf = [] }: Shape): Shape[] {
  return [...(items ? [items] : []), ...(additionalProperties ? [additionalProperties] : []), ...anyOf]
}
