import {
  type Document,
  isMap,
  isNode,
  isScalar,
  type LineCounter,
  type Node,
  type Pair,
  type YAMLError,
} from 'yaml'
import { z } from 'zod'
import { nearest } from '../text/nearest.ts'

/** What is wrong in a file of settings, and where. */
export interface Fault {
  /** Index of the character in the file. */
  readonly at: number
  readonly message: string
  readonly hint: string | undefined
}

type Path = readonly PropertyKey[]

/** What an issue of the schema means in the file it was found in. */
export function faultOf(
  issue: z.core.$ZodIssue,
  document: Document,
  schema: z.ZodType,
  examples: Readonly<Record<string, string>>,
): Fault {
  const narrowed = inTheForm(issue)
  if (narrowed) return faultOf(narrowed, document, schema, examples)
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    const known = knownKeys(issue.path, schema)
    const meant = nearest(key, known)
    return {
      at: placeOfKey(document, [...issue.path, key]),
      message: `unknown key ${JSON.stringify(key)}`,
      hint: meant ? `did you mean ${JSON.stringify(meant)}?` : `known here: ${known.join(', ')}`,
    }
  }
  const path = issue.path.map(String).join('.')
  const inner = issue.code === 'invalid_key' ? issue.issues[0] : undefined
  return {
    at: inner ? placeOfKey(document, issue.path) : placeOfValue(document, issue.path),
    message: `${path === '' ? 'the file' : path}: ${wording(inner ?? issue)}`,
    hint: isUnquoted(issue)
      ? 'put the value in quotes'
      : (meantIn(issue, document) ?? exampleFor(issue, examples)),
  }
}

/** Of a value that can have several forms, what is wrong in the form that it has: the others are refused as a whole. */
function inTheForm(issue: z.core.$ZodIssue): z.core.$ZodIssue | undefined {
  if (issue.code !== 'invalid_union') return undefined
  const [first, ...more] = issue.errors.flatMap(([found]) =>
    found && !(found.code === 'invalid_type' && found.path.length === 0) ? [found] : [],
  )
  if (!first || more.length > 0) return undefined
  return { ...first, path: [...issue.path, ...first.path] }
}

/** `line:column`, both from 1. */
export function lineAndColumn(lines: LineCounter, at: number): string {
  const { line, col } = lines.linePos(at)
  return `${line}:${col}`
}

function wording(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union') return plain(issue.message)
  const expected = issue.errors.flatMap(([first]) => (first?.code === 'invalid_type' ? [first.expected] : []))
  const [sample] = issue.errors.flat()
  return plain(
    sample?.message.replace(/expected \S+,/, `expected ${expected.join(' or ')},`) ?? issue.message,
  )
}

/** What the schema calls a type, as a user calls it. */
const TYPES: Readonly<Record<string, string>> = {
  object: 'names with values',
  record: 'names with values',
  array: 'a list',
  string: 'text',
  number: 'a number',
  bigint: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'nothing',
}

function plain(message: string): string {
  const text = message
    .replace(/^Invalid (input|option): /, '')
    .replace(/^expected .* received undefined$/, 'is missing')
  const types = /^expected (\w+(?: or \w+)*), received (\w+)$/.exec(text)
  if (types) {
    const expected = types[1]!.split(' or ').map((type) => TYPES[type] ?? type)
    return `expected ${[...new Set(expected)].join(' or ')}, found ${TYPES[types[2]!] ?? types[2]}`
  }
  const words = /^expected (?:one of )?("[^"]*"(?:\|"[^"]*")*)$/.exec(text)
  return words
    ? `expected ${words[1]!
        .replaceAll('"', '')
        .split('|')
        .join(', ')
        .replace(/, ([^,]*)$/, ' or $1')}`
    : text
}

/** The word that was meant, of those that are right there. */
function meantIn(issue: z.core.$ZodIssue, document: Document): string | undefined {
  if (issue.code !== 'invalid_value') return undefined
  const given = document.getIn(issue.path)
  const meant = typeof given === 'string' ? nearest(given, issue.values.map(String)) : undefined
  return meant && `did you mean ${JSON.stringify(meant)}?`
}

/** What is right in the place of a value of another type, or in the nearest place around it. */
function exampleFor(
  { code, path }: z.core.$ZodIssue,
  examples: Readonly<Record<string, string>>,
): string | undefined {
  if (code !== 'invalid_type' && code !== 'invalid_union') return undefined
  for (let length = path.length; length >= 0; length--) {
    const key = path.slice(0, length).map(String).join('.')
    if (Object.hasOwn(examples, key)) return `such as: ${examples[key]}`
  }
  return undefined
}

// `404` or `true` where a name belongs.
function isUnquoted(issue: z.core.$ZodIssue): boolean {
  const [sample] = issue.code === 'invalid_union' ? issue.errors.flat() : [issue]
  return (
    sample?.code === 'invalid_type' &&
    sample.expected === 'string' &&
    /(number|bigint|boolean)$/.test(sample.message)
  )
}

function placeOfValue(document: Document, path: Path): number {
  const node = path.length === 0 ? document.contents : document.getIn(path, true)
  return isNode(node) ? startOf(node) : placeOfKey(document, path)
}

function placeOfKey(document: Document, path: Path): number {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  const pair = isMap(parent) ? parent.items.find((item) => keyOf(item) === String(path.at(-1))) : undefined
  return isNode(pair?.key) ? startOf(pair.key) : 0
}

function keyOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key)
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0
}

/** A JSON Schema as far as it is walked here. */
interface Walked {
  readonly properties?: Readonly<Record<string, Walked>>
  readonly additionalProperties?: Walked | boolean
  readonly items?: Walked
  readonly anyOf?: readonly Walked[]
}

/** The keys that the schema has at a path. */
function knownKeys(path: Path, schema: z.ZodType): string[] {
  let schemas: Walked[] = [z.toJSONSchema(schema, { io: 'input' }) as Walked]
  for (const segment of path) {
    schemas = schemas.flatMap((walked) => {
      const inner = walked.properties?.[String(segment)] ?? walked.items ?? walked.additionalProperties
      return typeof inner === 'object' ? [inner, ...(inner.anyOf ?? [])] : []
    })
  }
  return schemas.flatMap((walked) => Object.keys(walked.properties ?? {}))
}

/** What the parser of YAML says of a text, and what most often helps. */
export function yamlFault({ pos, message }: YAMLError): Fault {
  return {
    at: pos[0],
    message: `this can't be read as YAML: ${message}`,
    hint:
      'put a text with : # @ ` % or a quote in it between quotes, such as name: "a: b"; ' +
      'lines of one section begin in the same column, with blanks and no tabs before them',
  }
}
