import {
  type Document,
  isMap,
  isNode,
  isScalar,
  Lexer,
  LineCounter,
  Parser,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml'
import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { nearest } from '../text/nearest.ts'

/** A kind of file that users write settings in, as YAML or JSON. */
interface SettingsKind<S extends z.ZodType> {
  readonly schema: S
  /** With its article: `a mapping file`. */
  readonly what: string
  /** Whole numbers come as bigints, so that long ones keep their digits. */
  readonly exactNumbers: boolean
  /** Path -> a line that is right there: `events` -> `events: { drop: [heartbeat] }`. '' is the whole file. */
  readonly examples: Readonly<Record<string, string>>
}

/** Throws, with the place in the file of what is at `path`. */
export type Refuse = (path: readonly PropertyKey[], message: string, hint?: string) => never

/**
 * Reads the text of a file of settings, and returns how to refuse what the schema can't. Code `config`, with `name`, line and
 * column, for what the schema does not allow; an unknown key brings the nearest one.
 */
export function readSettings<S extends z.ZodType>(text: string, name: string, kind: SettingsKind<S>) {
  try {
    return read(text, name, kind)
  } catch (cause) {
    if (cause instanceof PosthaulError) throw cause
    // The parser throws where aliases multiply to more than memory holds, or where nothing is named for one.
    const said = cause instanceof Error ? cause.message : String(cause)
    const why = said.startsWith('Unresolved alias') ? 'a text may not begin with *; put it in quotes' : said
    throw new PosthaulError(`${name} can't be read as ${kind.what}: ${why}`, {
      code: 'config',
      hint: `${kind.what} is a short text: check that this is the one you mean`,
      cause,
    })
  }
}

function read<S extends z.ZodType>(
  text: string,
  name: string,
  { schema, exactNumbers, examples }: SettingsKind<S>,
): { readonly value: z.output<S>; readonly refuse: Refuse } {
  if (isTooDeep(text)) throw new RangeError('it nests too deep')
  const lines = new LineCounter()
  // The parser compares each key with all before it, which takes minutes for a long list. So it is left to wrongKey.
  const document = parseDocument(text, {
    lineCounter: lines,
    intAsBigInt: exactNumbers,
    prettyErrors: false,
    uniqueKeys: false,
  })
  const refuse = ({ at, message, hint }: Fault): never => {
    const { line, col } = lines.linePos(at)
    throw new PosthaulError(`${name}:${line}:${col}: ${message}`, {
      code: 'config',
      ...(hint !== undefined && { hint }),
    })
  }
  const [broken] = [...document.errors, ...document.warnings]
  if (broken) return refuse(yamlFault(broken))
  const wrong = wrongKey(document)
  if (wrong) return refuse(wrong)

  const parsed = schema.safeParse(document.toJS() ?? {})
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => faultOf(issue, document, schema, examples))
    return refuse(faults.reduce((first, fault) => (fault.at < first.at ? fault : first)))
  }
  return {
    value: parsed.data,
    refuse: (path, message, hint) => {
      const issue: z.core.$ZodIssueCustom = { code: 'custom', path: [...path], message, input: undefined }
      return refuse({ ...faultOf(issue, document, schema, examples), hint })
    },
  }
}

/** The first key that is there twice, or is `__proto__`, which the schema's records would silently ignore. */
function wrongKey(document: Document): Fault | undefined {
  let fault: Fault | undefined
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        const twice = seen.has(key.value)
        seen.add(key.value)
        if (!twice && key.value !== '__proto__') continue
        const at = key.range?.[0] ?? 0
        fault = twice
          ? {
              at,
              message: `${JSON.stringify(String(key.value))} is there twice`,
              hint: 'put what both say under one of them',
            }
          : { at, message: '__proto__ cannot be a key here', hint: undefined }
        return visit.BREAK
      }
      return undefined
    },
  })
  return fault
}

/** Deeper than any file of settings is written by hand. */
const MOST_LEVELS = 100

/**
 * True for text that nests so deep that the YAML library, which recurses, would use up the stack. Near its end V8 can end
 * the whole process, so the error can't be waited for.
 */
export function isTooDeep(text: string): boolean {
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    // The tokens are of no use here: they are made by running the generator.
    for (const _ of parser.next(lexeme));
    if (parser.stack.length > MOST_LEVELS) return true
  }
  return false
}

interface Fault {
  readonly at: number
  readonly message: string
  readonly hint: string | undefined
}

type Path = readonly PropertyKey[]

/** What an issue of the schema means in the file it was found in. */
function faultOf(
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
  const listed = words?.[1]?.replaceAll('"', '').replaceAll('|', ', ')
  return listed ? `expected ${listed.replace(/, ([^,]*)$/, ' or $1')}` : text
}

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
  return isNode(node) ? (node.range?.[0] ?? 0) : placeOfKey(document, path)
}

function placeOfKey(document: Document, path: Path): number {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  const keys = isMap(parent) ? parent.items.map(({ key }) => key) : []
  const key = keys.find((one) => String(isScalar(one) ? one.value : one) === String(path.at(-1)))
  return isNode(key) ? (key.range?.[0] ?? 0) : 0
}

/** A JSON Schema as far as it is walked here. */
interface Walked {
  readonly properties?: Readonly<Record<string, Walked>>
  readonly additionalProperties?: Walked | boolean
  readonly items?: Walked
  readonly anyOf?: readonly Walked[]
}

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
