import { parseTime } from '../record/time.ts'
import { mapValues } from '../text/lists.ts'
import type { ColumnMapping, ColumnTarget } from './columns.ts'
import { FILL_IN, type Mapping } from './mapping.ts'
import { type MappingInput, mappingSchema } from './mapping-schema.ts'
import { constantJson, testsOf } from './mapping-tests.ts'
import { canonicalPath, pathSegments, quotedSegment } from './member-path.ts'
import { type Refuse, readSettings } from './settings-text.ts'

export type MappingFile = Readonly<ReturnType<typeof parseMapping>> & {
  /** Of the file's bytes, as sha256sum would print it. */
  readonly sha256: string
}

/** What is right in each place, for the messages on what isn't. */
export const MAPPING_EXAMPLES: Readonly<Record<string, string>> = {
  '': 'preset: mixpanel',
  columns: 'columns: { AMOUNT: properties.amount }',
  columns_header: 'columns_header: [user, event, time]',
  explode: 'explode: events',
  explode_with: 'explode_with: [visit, plan]\nexplode: actions',
  fields: 'fields: { event: action, timestamp: created_at }',
  events: 'events: { drop: [heartbeat] }',
  'events.rename': 'events: { rename: { Signup: signed_up } }',
  'events.keep': 'events: { keep: [purchase] }',
  properties: 'properties: { drop: [password] }',
  'properties.rename': 'properties: { rename: { Plan: plan } }',
  'properties.hash': 'properties: { hash: [email] }',
  'properties.set': 'properties: { set: { origin: import } }',
  filter: 'filter: { from: 2024-03-01 }',
  'filter.where': 'filter: { where: { country: [AT, DE] } }',
  groups: 'groups: { company: account_id }',
  group_types: 'group_types: { 0: company, 1: project }',
  time_format: 'time_format: MM/DD/YYYY',
  types: 'types: { amount: number, properties.plan: json }',
  tests: "tests: [{ name: a sign-up, record: '{…}', includes: [{ event: signed_up }] }]",
}

const MAPPING_FILE = {
  schema: mappingSchema,
  what: 'a mapping file',
  exactNumbers: true,
  examples: MAPPING_EXAMPLES,
}

/** What the fields hold that a starting mapping file may leave open. */
const MEANINGS: Readonly<Record<string, string>> = {
  event: 'the name of the event',
  distinct_id: "the person's id",
  timestamp: 'the time of the event',
}

/** Checks and normalises the text of a mapping file; errors call it `name`. */
export function parseMapping(text: string, name: string) {
  const { value: input, refuse } = readSettings(text, name, MAPPING_FILE)
  if (input.columns_header && input.columns_from)
    refuse(['columns_header'], 'says the same as columns_from; use one')
  const columns: ColumnMapping = {
    columns: mapValues(input.columns ?? {}, target),
    rest: input.columns_rest ?? 'keep',
    ...(input.columns_header && { names: input.columns_header }),
    ...(input.columns_escape && { escapes: input.columns_escape }),
    ...(input.time_format && { timeFormats: [input.time_format].flat() }),
  }
  const forget: { readonly file: string; readonly all?: boolean | undefined } | undefined =
    typeof input.forget === 'string' ? { file: input.forget } : input.forget
  return {
    preset: input.preset,
    mapping: normalise(input, refuse),
    /** Path of the list of ids to forget, as written; load-mapping.ts makes it absolute. */
    forget,
    /** Path of the list of columns, as written; load-mapping.ts makes it absolute, and reads it into `columns`. */
    columnsFrom: input.columns_from,
    /** What the text of the inputs is in; undefined when the file doesn't say it. */
    encoding: input.encoding,
    /** Set where NaN and infinities are read as null. */
    json: input.json,
    tests: testsOf(input.tests ?? []),
    columns,
  }
}

function normalise(input: MappingInput, refuse: Refuse): Mapping {
  const { events, properties, filter } = input
  const instant = (key: 'from' | 'to'): number | undefined => {
    const text = filter?.[key]
    if (text === undefined) return undefined
    try {
      return parseTime(text.length === 10 ? `${text}T00:00` : text)
    } catch (error) {
      return refuse(['filter', key], (error as RangeError).message)
    }
  }
  const [from, to] = [instant('from'), instant('to')]
  if (from !== undefined && to !== undefined && from >= to) {
    refuse(['filter', 'to'], 'is not after from, so no event is left')
  }
  const { time, ...fields } = input.fields ?? {}
  for (const [field, paths] of Object.entries(fields)) {
    if (paths !== FILL_IN) continue
    refuse(
      ['fields', field],
      `is still ${FILL_IN}, which stands for a name`,
      `write the column or member that holds ${MEANINGS[field] ?? 'it'}`,
    )
  }
  const cut = explodeOf(input, refuse)
  return {
    ...cut,
    fields: {
      ...mapValues(fields, (paths) => [paths ?? []].flat().map(canonicalPath)),
      ...(time && { timestamp: time.map(canonicalPath) }),
    },
    joinsTime: time !== undefined,
    events: { rename: events?.rename ?? {}, drop: events?.drop ?? [], keep: events?.keep },
    properties: {
      rename: properties?.rename ?? {},
      drop: properties?.drop ?? [],
      set: mapValues(properties?.set ?? {}, constantJson),
    },
    hash: properties?.hash ?? [],
    filter: {
      from,
      to,
      where: Object.fromEntries(
        Object.entries(filter?.where ?? {}).map(([path, value]) => [
          canonicalPath(path),
          [value].flat().map(String),
        ]),
      ),
    },
    groups: mapValues(input.groups ?? {}, canonicalPath),
    ...(input.types && {
      types: Object.fromEntries(
        Object.entries(input.types).map(([path, said]) => {
          const to = canonicalPath(path)
          return [to, target(typeof said === 'string' ? { to, type: said } : { to, ...said }, to)]
        }),
      ),
    }),
    sourceTimezone: input.source_timezone,
    timeFormats: [input.time_format ?? []].flat(),
    groupType: input.group_type,
    groupTypes: input.group_types,
    baseUrl: input.base_url?.replace(/\/+$/, ''),
    personProperties: input.person_properties ?? 'set',
    bigIntegersAsStrings: input.big_integers === 'string',
    deepAsText: input.deep === 'text',
  }
}

function explodeOf(input: MappingInput, refuse: Refuse): Pick<Mapping, 'explode' | 'explodeWith'> {
  const { explode: list, explode_with: explodeWith, fields } = input
  if (list === undefined) {
    if (explodeWith) refuse(['explode_with'], 'is of the list that explode names, and there is no explode')
    return {}
  }
  const explode = topName(list, refuse)
  const shared = [fields?.uuid ?? []].flat().find((path) => pathSegments(path)[0] !== explode)
  if (shared !== undefined) {
    refuse(
      ['fields', 'uuid'],
      `${shared} is beside the list ${list}, so all elements of a record would be one event`,
      `name an id that each element has, such as ${list}.id, or take uuid out`,
    )
  }
  return { explode, ...(explodeWith && { explodeWith }) }
}

function topName(path: string, refuse: Refuse): string {
  const [name, ...below] = pathSegments(path)
  if (below.length === 0) return name!
  return refuse(
    ['explode'],
    `${path} is not at the top of the record, and only a list there can be cut`,
    `a member whose own name has dots goes in quotes: '${quotedSegment(path)}'`,
  )
}

function target(input: NonNullable<MappingInput['columns']>[string], column: string): ColumnTarget | null {
  if (input === null) return null
  const { to, json = false, type, format, ...rest } = typeof input === 'string' ? { to: input } : input
  return {
    path: to === undefined ? [column] : pathSegments(to),
    json,
    type,
    ...rest,
    ...(format && { formats: [format].flat() }),
  }
}
