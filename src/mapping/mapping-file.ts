import { type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { PosthaulError } from '../errors.ts'
import { parseTime } from '../record/time.ts'
import type { ColumnMapping, ColumnTarget } from './columns.ts'
import type { Mapping } from './mapping.ts'
import { type Fault, faultOf, lineAndColumn } from './mapping-fault.ts'
import { constantJson, type MappingInput, mappingSchema } from './mapping-schema.ts'
import { FILL_IN } from './starter.ts'

/** A mapping file, read and checked. */
export interface MappingFile {
  /** The preset it adds to, when it names one. */
  readonly preset: string | undefined
  /** For the mapper. */
  readonly mapping: Mapping
  /** For the readers of CSV and TSV. */
  readonly columns: ColumnMapping
  /** Of the file's bytes, as sha256sum would print it. */
  readonly sha256: string
}

/** What the fields hold that a starting mapping file may leave open. */
const MEANINGS: Readonly<Record<string, string>> = {
  event: 'the name of the event',
  distinct_id: "the person's id",
  timestamp: 'the time of the event',
}

/** Checks and normalises the text of a mapping file; errors call it `name`. */
export function parseMapping(text: string, name: string): Omit<MappingFile, 'sha256'> {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, intAsBigInt: true, prettyErrors: false })
  const refuse = ({ at, message, hint }: Fault): never => {
    throw new PosthaulError(`${name}:${lineAndColumn(lines, at)}: ${message}`, {
      code: 'config',
      ...(hint !== undefined && { hint }),
    })
  }
  const [broken] = [...document.errors, ...document.warnings]
  if (broken) return refuse({ at: broken.pos[0], message: broken.message, hint: undefined })
  const dunder = protoKey(document)
  if (dunder !== undefined)
    return refuse({ at: dunder, message: '__proto__ cannot be a key here', hint: undefined })

  const parsed = mappingSchema.safeParse(document.toJS() ?? {})
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => faultOf(issue, document))
    return refuse(faults.reduce((first, fault) => (fault.at < first.at ? fault : first)))
  }
  const input = parsed.data
  return {
    preset: input.preset,
    mapping: normalise(input, document, refuse),
    columns: {
      columns: Object.fromEntries(
        Object.entries(input.columns ?? {}).map(([column, to]) => [column, target(column, to)]),
      ),
      rest: input.columns_rest ?? 'keep',
    },
  }
}

/** The place of a key `__proto__`, which the schema's records would silently ignore. */
function protoKey(document: Document): number | undefined {
  let at: number | undefined
  visit(document, {
    Pair(_, { key }) {
      if (!isScalar(key) || key.value !== '__proto__') return undefined
      at = key.range?.[0] ?? 0
      return visit.BREAK
    },
  })
  return at
}

function normalise(input: MappingInput, document: Document, refuse: (fault: Fault) => never): Mapping {
  const { events, properties, filter } = input
  const fault = (path: string[], message: string): Fault =>
    faultOf({ code: 'custom', path, message, input: undefined }, document)
  const instant = (key: 'from' | 'to'): number | undefined => {
    const text = filter?.[key]
    if (text === undefined) return undefined
    try {
      return parseTime(text.length === 10 ? `${text}T00:00` : text)
    } catch (error) {
      return refuse(fault(['filter', key], (error as RangeError).message))
    }
  }
  const [from, to] = [instant('from'), instant('to')]
  if (from !== undefined && to !== undefined && from >= to) {
    refuse(fault(['filter', 'to'], 'is not after from, so no event is left'))
  }
  if (events?.keep && filter?.events)
    refuse(fault(['filter', 'events'], 'is the same as events.keep; use one'))
  for (const [field, paths] of Object.entries(input.fields ?? {})) {
    if (paths !== FILL_IN) continue
    refuse({
      ...fault(['fields', field], `is still ${FILL_IN}, which stands for a name`),
      hint: `write the column or member that holds ${MEANINGS[field] ?? 'it'}`,
    })
  }
  return {
    fields: Object.fromEntries(
      Object.entries(input.fields ?? {}).map(([field, paths]) => [
        field,
        typeof paths === 'string' ? [paths] : paths,
      ]),
    ),
    events: {
      rename: events?.rename ?? {},
      drop: events?.drop ?? [],
      keep: events?.keep ?? filter?.events,
    },
    properties: {
      rename: properties?.rename ?? {},
      drop: properties?.drop ?? [],
      set: Object.fromEntries(
        Object.entries(properties?.set ?? {}).map(([name, value]) => [name, constantJson(value)]),
      ),
    },
    filter: { from, to },
    groups: input.groups ?? {},
    sourceTimezone: input.source_timezone,
    personProperties: input.person_properties ?? 'set',
    bigIntegersAsStrings: input.big_integers === 'string',
  }
}

type ColumnInput = NonNullable<MappingInput['columns']>[string]

function target(column: string, input: ColumnInput): ColumnTarget | null {
  if (input === null) return null
  const { to, json, type } = typeof input === 'string' ? { to: input, json: false, type: undefined } : input
  return { path: to?.split('.') ?? [column], json: json ?? false, type }
}
