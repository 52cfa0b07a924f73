import { type Document, isScalar, Lexer, LineCounter, Parser, parseDocument, visit } from 'yaml'
import type { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { type Fault, faultOf, lineAndColumn, yamlFault } from './settings-fault.ts'

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

/** What a file of settings holds, and how to refuse what the schema can't. */
interface SettingsRead<T> {
  readonly value: T
  readonly refuse: Refuse
}

/**
 * Reads the text of a file of settings. Code `config`, with `name`, line and column, for what the schema does not allow; an
 * unknown key brings the nearest one.
 */
export function readSettings<S extends z.ZodType>(
  text: string,
  name: string,
  kind: SettingsKind<S>,
): SettingsRead<z.output<S>> {
  try {
    return read(text, name, kind)
  } catch (cause) {
    if (cause instanceof PosthaulError) throw cause
    // The parser throws where aliases multiply to more than memory holds.
    const why = cause instanceof Error ? cause.message : String(cause)
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
): SettingsRead<z.output<S>> {
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
    throw new PosthaulError(`${name}:${lineAndColumn(lines, at)}: ${message}`, {
      code: 'config',
      ...(hint !== undefined && { hint }),
    })
  }
  const [broken] = [...document.errors, ...document.warnings]
  if (broken) return refuse(yamlFault(broken))
  const wrong = wrongKey(document)
  if (wrong) return refuse(wrong)

  const parsed = schema.safeParse(plainOf(document) ?? {})
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

/** Code `config` for an alias that nothing is named for, which the parser tells only now. */
function plainOf(document: Document): unknown {
  try {
    return document.toJS()
  } catch (cause) {
    if (!(cause instanceof ReferenceError) || !cause.message.startsWith('Unresolved alias')) throw cause
    throw new RangeError('a text may not begin with *; put it in quotes', { cause })
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
        const message = twice
          ? `${JSON.stringify(String(key.value))} is there twice`
          : '__proto__ cannot be a key here'
        const hint = twice ? 'put what both say under one of them' : undefined
        fault = { at: key.range?.[0] ?? 0, message, hint }
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
