import { isJson } from '../record/is-json.ts'
import { textIn } from '../record/text.ts'
import { parseTime } from '../record/time.ts'
import { MICROS_PER_DAY } from '../units.ts'

/** A column of a table, or a member of records, as the first of them show it. */
export interface Column {
  /** Dotted path in the record; of a table, the column's name. */
  readonly name: string
  /** False for a name that is itself dotted or empty: `fields` of a mapping file can't say it. */
  readonly isPath: boolean
  /** Values as JSON, those that say nothing left out. */
  readonly values: readonly string[]
}

/** What a mapping file can be started from. */
export interface Seen {
  readonly columns: readonly Column[]
  /** Records that were looked at. */
  readonly records: number
  /** True for CSV and TSV, whose cells are text. */
  readonly isText: boolean
}

type Field = 'event' | 'distinct_id' | 'timestamp' | 'uuid'

/** Names that mean a field, the likeliest first. Case and underscores don't count. */
const NAMES: Readonly<Record<Field, readonly RegExp[]>> = {
  event: [/^event$/, /^eventname$/, /^eventtype$/, /event$/, /event(name|type|kind|action)/],
  distinct_id: [
    /^distinctid$/,
    /^(userid|useruuid|uid)$/,
    /(user|customer|person|member|profile|contact|visitor)(id|uuid|key)$/,
    /^(account|anonymous|device|client)id$/,
    /^(user|customer|person|member|email|useremail)$/,
  ],
  timestamp: [
    /^timestamp$/,
    /^(time|eventtime|eventtimestamp|ts|occurredat|happenedat)$/,
    /^(createdat|datetime)$/,
    /(at|time|date|timestamp)$/,
  ],
  // Rows with one uuid become one event: only names that can't mean anything else.
  uuid: [/^(uuid|eventuuid)$/, /^(eventid|insertid|messageid|rowid)$/],
}

/** Names that may mean a field, and may mean something else: a guess that the user is asked to look at. */
const LOOSE_NAMES: Readonly<Record<Field, readonly RegExp[]>> = {
  event: [
    /^(action|activity|what|whathappened)$/,
    /(action|activity)(name|type|kind)?$/,
    /^(name|type|kind|verb|operation|title)$/,
  ],
  distinct_id: [
    /^(who|username|login|actor|visitor|profile|contact|subscriber|customeremail|emailaddress)$/,
    /^(account|client|device|session)(name|key)?$/,
    /^(user|customer|person|member|visitor|actor|account)/,
  ],
  timestamp: [/^(when|day|date|hour)$/, /^(created|occurred|happened|received|sent|logged)(on)?$/],
  uuid: [],
}

/** What stands for a column that nothing tells. A mapping file that still has it is refused. */
export const FILL_IN = 'FILL_IN'

/** Of a line, so that a terminal has room for it beside the indent of an error. */
const MOST_CHARACTERS = 72

const EARLIEST = Date.UTC(1990, 0, 1) * 1000

/** The column that is most likely a field. */
export interface Guess {
  readonly column: Column
  /** False when the name may mean something else, or only the values speak for it. */
  readonly isSure: boolean
}

type Guesses = Partial<Record<Field, Guess>>

const FIELDS = ['timestamp', 'event', 'distinct_id', 'uuid'] as const

/**
 * Which column is most likely which field: by its name, and a time also by its values. No values tell a name of an event
 * from a plan, or a person from a country, so those fields stay open where no name tells. `now` in microseconds.
 */
export function guessFields({ columns, records }: Seen, now: number): Guesses {
  const fits: Readonly<Record<Field, (column: Column) => boolean>> = {
    timestamp: ({ values }) => values.every((json) => isTime(json, now)),
    event: ({ values }) => values.every(isWord),
    distinct_id: ({ values }) => values.every((json) => /^["\d-]/.test(json)),
    uuid: ({ values }) => values.length === records && new Set(values).size === records,
  }
  const found: Guesses = {}
  const fitting = (field: Field) =>
    columns.filter((column) => {
      const isTaken = Object.values(found).some((guess) => guess.column === column)
      return !isTaken && column.values.length > 0 && fits[field](column)
    })
  for (const [names, isSure] of [
    [NAMES, true],
    [LOOSE_NAMES, false],
  ] as const) {
    for (const field of FIELDS) {
      if (found[field]) continue
      const free = fitting(field)
      const [column] = names[field].flatMap((pattern) => free.filter(({ name }) => isCalled(name, pattern)))
      if (column) found[field] = { column, isSure }
    }
  }
  const [time, ...others] = found.timestamp ? [] : fitting('timestamp')
  if (time && others.length === 0) found.timestamp = { column: time, isSure: false }
  return found
}

/** True for a path of which all names together, or the last one, fit a pattern. */
function isCalled(name: string, pattern: RegExp): boolean {
  return [name, name.slice(name.lastIndexOf('.') + 1)].some((text) => pattern.test(plain(text)))
}

/** True for text that is more than a number, a boolean or JSON: a name of an event is. */
function isWord(json: string): boolean {
  return /^"\s*[^\s"[{]/.test(json) && !/^"(?:[\d.:+-]+|true|false)"$/i.test(json)
}

/** A name as it is compared with others. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

/** True for a time that an event can have. Small numbers are times of 1970, and most likely none at all. */
function isTime(json: string, now: number): boolean {
  try {
    const instant = parseTime(textIn(json))
    return instant > EARLIEST && instant < now + MICROS_PER_DAY
  } catch {
    return false
  }
}

/** The lines of a mapping file for these columns: one that can be saved, tried and changed. */
export function starterLines(seen: Seen, preset: string, now: number): string[] {
  const fields = preset === 'events' ? guessFields(seen, now) : {}
  const lines = [`preset: ${preset}`]
  if (preset === 'events') lines.push(...fieldLines(fields))
  const cells = seen.columns.flatMap((column) => cellLine(column, seen, fields))
  return cells.length > 0 ? [...lines, 'columns:', ...cells] : lines
}

function fieldLines(fields: Guesses): string[] {
  const lines = (['event', 'distinct_id', 'timestamp', 'uuid'] as const).flatMap((field) => {
    const guess = fields[field]
    if (guess?.column.isPath) return [`  ${field}: ${yaml(guess.column.name)}${remark(guess)}`]
    return guess || field === 'uuid' ? [] : [`  ${field}: ${FILL_IN}  # which column is it?`]
  })
  return lines.length === 0 ? [] : ['fields:', ...lines]
}

function remark({ isSure }: Guess): string {
  return isSure ? '' : '  # a guess: see if it is'
}

/** What the mapping file says of a column of a table, if it must say something. */
function cellLine({ name, isPath, values }: Column, seen: Seen, fields: Guesses): string[] {
  if (!seen.isText) return []
  if (name === '') return ['  "": null']
  const [field, guess] = Object.entries(fields).find(([, { column }]) => column.name === name) ?? []
  if (guess) return isPath ? [] : [`  ${yaml(name)}: ${field}${remark(guess)}`]
  // Cells are text: what is none is of another input, whose members `columns` can't name.
  if (!values.every((json) => json.startsWith('"'))) return []
  const texts = values.map((json) => JSON.parse(json) as string)
  const type = texts.length === 0 ? undefined : typeOf(name, texts)
  if (type === undefined) return []
  const line = `  ${yaml(name)}: { ${type} }`
  // Nothing folds a line in two then: half a pair of braces is no YAML.
  return line.length <= MOST_CHARACTERS ? [line] : [`  ${yaml(name)}:`, `    ${type}`]
}

function typeOf(name: string, texts: readonly string[]): string | undefined {
  // Digits of an id, a code or a phone number are no number to compute with.
  const isName = /(id|code|zip|phone|number|no|version)$/.test(plain(name))
  if (!isName && texts.every((text) => /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text))) return 'type: number'
  if (texts.every((text) => /^(true|false)$/i.test(text))) return 'type: boolean'
  return texts.every((text) => /^\s*[[{]/.test(text) && isJson(text)) ? 'json: true' : undefined
}

/** A name as YAML takes it: quoted where it could mean something else. */
function yaml(name: string): string {
  const isPlain = /^[a-z_$][\w$.-]*$/i.test(name) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(name)
  return isPlain ? name : JSON.stringify(name)
}
