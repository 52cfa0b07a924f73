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

/**
 * What each command prints with `--json`, as docs/ has it: an item a command, with the members of its objects. Members that stand
 * further up already are not repeated.
 */
export function resultList(): string {
  const known = new Map<string, string>()
  return Object.keys(SHAPES)
    .map((command) => {
      const { text, like } = itemOf(command, known)
      return `- **\`${command}\`**: ${like === undefined ? '' : `those of \`${like}\`, and `}${text}`
    })
    .join('\n')
}

/** One that has all that a command before it has says so, and names what is its own. */
function itemOf(command: string, known: Map<string, string>): { text: string; like?: string } {
  const members = ownMembers(command)
  const like = Object.keys(SHAPES).find(
    (name) => name !== command && Object.keys(ownMembers(name)).every((member) => member in members),
  )
  if (like === undefined) return { text: listOf(members, known) }
  const others = ownMembers(like)
  const own = Object.entries(members).filter(([name]) => !(name in others))
  return { text: listOf(Object.fromEntries(own), known), like }
}

function ownMembers(command: string): Readonly<Record<string, Shape>> {
  const { version: _, command: __, ...members } = membersOf(SHAPES[command]!)
  return members
}

function listOf(members: Readonly<Record<string, Shape>>, known: Map<string, string>): string {
  return Object.entries(members)
    .map(([name, shape]) => {
      const about = [shape.description ?? '', innerList(name, shape, known)].filter((text) => text !== '')
      return `\`${name}\`${about.length > 0 ? ` (${about.join(': ')})` : ''}`
    })
    .join(', ')
}

function innerList(name: string, shape: Shape, known: Map<string, string>): string {
  const inner = Object.keys(objectOf(shape))
    .map((member) => `\`${member}\``)
    .join(', ')
  if (known.get(name) === inner) return ''
  known.set(name, inner)
  return inner
}

/** The members of an object, which may be null; none of a list, whose objects only the schema describes. */
function objectOf(shape: Shape): Readonly<Record<string, Shape>> {
  return shape.properties ?? Object.assign({}, ...(shape.anyOf ?? []).map(objectOf))
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
