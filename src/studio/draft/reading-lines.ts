import { remedyOf } from '../../checks/words/rejects.ts'
import { PosthaulError } from '../../errors.ts'
import { partitionsOf } from '../../inputs/copies.ts'
import type { FoundEncoding } from '../../inputs/find-encoding.ts'
import { NUMBER, OF_RECORD } from '../../inputs/headerless-piece.ts'
import type { InputFile } from '../../inputs/input-file.ts'
import { isStated } from '../../inputs/probe.ts'
import { withNulls } from '../../inputs/record-sink.ts'
import type { Spread, SpreadRecord } from '../../inputs/spread.ts'
import { ENCODINGS } from '../../mapping/columns.ts'
import type { Recognised } from '../../presets/recognise.ts'
import { ByteWriter } from '../../record/byte-writer.ts'
import { scanRefusal } from '../../record/rules.ts'
import { Scanner } from '../../record/scan.ts'
import { Tape } from '../../record/tape.ts'
import { textIn } from '../../record/text.ts'
import { groupedBy } from '../../text/lists.ts'
import { firstFew, number, plural } from '../../text/words.ts'
import { kindOf, type ValueKind } from '../profile/kind.ts'
import { lastName, plain } from '../profile/member.ts'
import { UNKNOWN_SIGN } from '../profile/number-guess.ts'
import type { Profile } from '../profile/profiles-of.ts'
import { askedApart, type Facts } from './draft-facts.ts'
import { comment, example, inComment } from './yaml-text.ts'

const MOST_NAMED = 3

/** What a mapping file says of the encoding of the inputs: nothing where they are UTF-8 or have byte order marks. */
export function encodingDraft({ encoding, other, example, mixed, unknown }: FoundEncoding): string[] {
  if (encoding === undefined) {
    if (other !== undefined) {
      const text = `${named(mixed)}: some rows are not UTF-8. In ${other} they have words such as ${JSON.stringify(example)}. They become rejects (bad_utf8) that keep their bytes: run again with "encoding: ${other}" in a mapping file, they are read by it?`
      return askedApart(text)
    }
    if (unknown.length === 0) return []
    const others = ENCODINGS.slice(1).join(', ')
    const text = `${named(unknown)}: the text is neither UTF-8 nor Windows-1252. iconv -f NAME -t utf-8 converts it; of ${others}, "encoding:" in the mapping file reads it as it is`
    return askedApart(text)
  }
  const why =
    example === undefined
      ? encoding.startsWith('utf-16')
        ? 'The text has no byte order mark, and is in UTF-16.'
        : `The text is not UTF-8. In ${encoding} it has symbols, but no words that would tell more.`
      : `The text is not UTF-8. In ${encoding} it has words such as ${inComment(JSON.stringify(example))}.`
  const text = `${named(mixed)}: there is UTF-8 too. Such rows become rejects (bad_encoding), whose records run again as they are; should a file that is all UTF-8 have a transform of its own?`
  const asked = mixed.length === 0 ? [] : comment(text, '', '# ? ')
  return [...comment(why), ...asked, `encoding: ${encoding}`, '']
}

function named(files: readonly string[]): string {
  const more = files.length - MOST_NAMED
  return `${files.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** A report names its columns by days, each once, after what they are of. */
const MIN_DAYS = 3

function isReport(first: readonly string[]): boolean {
  const days = first.filter((cell) => /^\d{4}-\d\d(?:-\d\d)?$/.test(cell.trim()))
  return days.length >= MIN_DAYS && days.length >= first.length - 2 && new Set(days).size === days.length
}

/**
 * Tells a first row that is a record from one that names the columns: by a cell that no column is called by. Numbers alone
 * are asked about. `first` is undefined where there is no table; `names` are for the columns, where it is taken for a record.
 */
export function headerDraft(first: readonly string[] | undefined) {
  const told = first?.find((cell) => OF_RECORD.test(cell.trim()))
  const numbers = first?.filter((cell) => NUMBER.test(cell.trim())) ?? []
  if (first === undefined || isReport(first) || (told === undefined && numbers.length === 0))
    return { names: undefined, lines: [] }
  const names = first.map((_, index) => `column_${index + 1}`)
  const line = `columns_header: [${names.join(', ')}]`
  const odd = example('', told ?? numbers[0]!)
  const text =
    told === undefined
      ? `the first row has ${odd}: does it name the columns, as it is taken for here? If it is a record, take the # of the next line away`
      : `the first row has ${odd}, which no column is called: it is taken for a record. If it names the columns, delete the next line; else write your names in it`
  const lines = [...comment(text, '', '# ? '), told === undefined ? `# ${line}` : line, '']
  return { names: told === undefined ? undefined : names, lines }
}

const ESCAPES_ASKED =
  'Do backslashes escape, as in the dumps of databases? Then write columns_escape: backslash'
/** A backslash and what COPY, MySQL, Hive and ClickHouse write behind it; JSON in a cell has escapes of its own. */
const ESCAPED = /^(?:[^\\]|\\[\\tnrbfv0'"])*$/

/** What is asked where cells of tables hold escapes, and no backslash that is none. */
export function escapesDraft(texts: readonly string[]): string[] {
  const cells = texts
    .filter((text) => text.includes('\\\\'))
    .flatMap((text) => Object.values(JSON.parse(text) as Readonly<Record<string, unknown>>))
    .filter((cell): cell is string => typeof cell === 'string' && /^[^{[].*\\/s.test(cell))
  const [first] = cells
  if (first === undefined || !cells.every((cell) => ESCAPED.test(cell))) return []
  return [...comment(`cells hold ${example('', first)}. ${ESCAPES_ASKED}`, '', '# ? '), '']
}

type Placed = Pick<SpreadRecord, 'input' | 'number'>

/** Records that can't be read, all for one reason. */
interface Unread {
  readonly message: string
  readonly example: string
  /** Those that are shown, and how many there are of how many that were looked at. */
  readonly places: Placed[]
  count: number
  readonly of: number
}

/**
 * Looks at the records of a sample that no mapping can read: which they are, why, and what can read them. Code `input` where
 * they are all that there is. `json` is set if some of them can be read once NaN and infinities are null.
 */
export function unreadDraft({ records, refused, refusedFor, read }: Spread) {
  const scanner = new Scanner(new Tape())
  const out = new ByteWriter()
  const python: SpreadRecord[] = []
  const unread = new Map<string, Unread>()
  const add = (reason: string, place: Placed, one: Pick<Unread, 'message' | 'example' | 'of'>) => {
    const known = unread.get(reason) ?? { ...one, places: [], count: 0 }
    unread.set(reason, known)
    known.places.push(place)
    known.count++
  }
  for (const one of refused)
    add(one.reason, one, { message: one.message, example: one.record ?? '', of: read })
  // The first are kept, all are counted.
  for (const [reason, one] of unread) one.count = refusedFor[reason] ?? one.count
  let broken = 0
  for (const record of records) {
    const { bytes, input } = record
    if ((input.format !== 'ndjson' && input.format !== 'json') || input.rejects) continue
    if (scanner.scan(bytes, 0, bytes.length)) continue
    const { reason, at } = scanner.failure
    // Text in another encoding is spoken of elsewhere.
    if (reason === 'bad_utf8') continue
    if (withNulls(bytes, out) > 0 && scanner.scan(out.bytes, 0, out.length)) python.push(record)
    else {
      const { message } = scanRefusal(reason, at, bytes)
      broken++
      add(reason, record, { message, example: bytes.toString('utf8'), of: records.length })
    }
  }
  if (read > 0 && broken === records.length) throw unreadable([...unread], read)
  const asked = [...unread].map((one) => {
    const { count, of } = one[1]
    const become = count === 1 ? 'becomes a reject' : 'become rejects'
    return `${plural(count, 'record')} of ${number(of)} can't be read, and ${become}${reasonWords(one)}${headerWords(one)}`
  })
  const nulls =
    python.length === 0
      ? []
      : [
          `${plural(python.length, 'record')} of ${number(records.length)} hold NaN or Infinity, as Python's json writes it and JSON does not have it: ${placed(python)}. They are read as null, and counted; without this line such records are rejects`,
        ]
  const json = python.length > 0 ? ('python' as const) : undefined
  const all = [...nulls, ...asked]
  return {
    json,
    lines: [
      ...(json ? [`json: ${json}`] : []),
      ...all.flatMap((text) => comment(text, json ? '  ' : '', '# ? ')),
      ...(all.length > 0 ? [''] : []),
    ],
  }
}

/** That none of the records can be read. Nothing can be said of them, so there is no mapping file to write. */
function unreadable(all: ReadonlyArray<readonly [string, Unread]>, read: number): PosthaulError {
  const [first] = [...all].sort(([, a], [, b]) => b.count - a.count)
  const [reason] = first!
  const which =
    all.length === 1 && read === 1
      ? "the only record can't be read"
      : `none of the ${plural(read, 'record')} can be read`
  return new PosthaulError(`${which}${reasonWords(first!)}`, { code: 'input', hint: remedyOf(reason) })
}

/** Why records can't be read, where, and one of them. */
function reasonWords([reason, { message, example: text, places, count }]: readonly [string, Unread]): string {
  return ` (${reason}): ${placed(places, count)}, such as ${example('', text)}: ${message}`
}

/** What is asked where most rows have other cells than the header: lines above it were taken for it. */
function headerWords([reason, { places, count, of, example: text }]: readonly [string, Unread]): string {
  const [first] = places
  if (reason === 'csv_field_count' && /\\[,;|\t]/.test(text)) return `. ${ESCAPES_ASKED}`
  if (reason !== 'csv_field_count' || count <= of / 2 || first?.number === undefined) return ''
  return `. Is line ${number(first.number)} the header? Then delete the lines above it`
}

/** Where records are: `line 3, line 7 and 5 more of x.ndjson`. */
function placed(records: readonly Placed[], count = records.length): string {
  const { name, format } = records[0]!.input
  const unit = format === 'json' ? 'element' : 'line'
  const known = records.filter(({ input }) => input.name === name)
  const shown = known
    .flatMap((one) => (one.number === undefined ? [] : [number(one.number)]))
    .slice(0, MOST_NAMED)
  if (shown.length === 0) return name
  const more = count - shown.length
  return `${unit}${shown.length === 1 ? '' : 's'} ${shown.join(', ')} of ${name}${more > 0 ? `, and ${number(more)} more` : ''}`
}

/** What is asked about records that a preset would know if it ignored case. */
export function caseDraft(otherCase: Recognised | undefined): string[] {
  if (!otherCase) return []
  const { preset, title, members } = otherCase
  const [name = ''] = members.filter((one) => !one.includes('.'))
  const inCapitals = name.toUpperCase()
  const text =
    `These look like records of ${title} whose names are in another case, such as ${inCapitals}: the preset ${preset} reads ` +
    `${members.join(', ')} as they are spelt here. Are they? Export them under the vendor's own names (in SQL: SELECT ${inCapitals} AS "${name}", …), ` +
    `or, of CSV, say it in a mapping file: columns: { ${inCapitals}: ${name}, … } with preset: ${preset}. As they are, they become rows of your own`
  return askedApart(text)
}

/** What is asked where the names of folders say what the records don't. */
export function partitionDraft(
  inputs: readonly InputFile[],
  { profiles }: Pick<Facts, 'profiles'>,
): string[] {
  const known = new Set(profiles.map(({ member }) => plain(lastName(member.name))))
  const said = new Map<string, string>()
  for (const folder of inputs.flatMap(({ path }) => partitionsOf(path))) {
    const [name = ''] = folder.split('=')
    if (!isStated(folder) && !known.has(plain(name)) && !said.has(name)) said.set(name, folder)
  }
  if (said.size === 0) return []
  return askedApart(
    `the files lie in folders such as ${inComment([...said.values()].join('/'))}, and no record has ${inComment([...said.keys()].join(' or '))}: it is not read. Does it matter? Then write it into the rows first, as DuckDB does with hive_partitioning`,
  )
}

/**
 * What is asked where one file tells the order of days and months, or the decimal sign, and another could be of either: it
 * may come from a place with other habits. `files`: the file of each record.
 */
export function perFileDraft(facts: Facts, files: readonly InputFile[], now: number): string[] {
  if (facts.list !== undefined || new Set(files).size < 2) return []
  return facts.profiles.flatMap((profile) => {
    const read = readAs(profile)
    if (read === undefined) return []
    const { member } = profile
    const groups = groupedBy([...member.at.keys()], (i) => files[member.at[i]!]!)
    const open = [...groups].flatMap(([{ name }, places]) => {
      const values = places.map((i) => member.values[i]!)
      const known = new Set(values.map((json) => textIn(json).trim()))
      const alone = { ...member, values, texts: member.texts.filter((text) => known.has(text)) }
      return isOpen(kindOf(alone, facts.isText, now)) ? [inComment(name)] : []
    })
    if (open.length === 0) return []
    return askedApart(
      `${inComment(member.name)} is read as ${read}, as other files tell; nothing in ${firstFew(open, MOST_NAMED)} does. Do all come from one program and place? Else give those a mapping file of their own`,
    )
  })
}

function isOpen(kind: ValueKind): boolean {
  return kind.kind === 'time' ? kind.time.order?.isSure === false : kind.odd.why === UNKNOWN_SIGN
}

/** How values are read that could be read otherwise; undefined for others. */
function readAs({ kind }: Profile): string | undefined {
  if (kind.kind === 'number') return "numbers with the decimal sign '.'"
  if (kind.kind === 'money') return `numbers with the decimal sign '${kind.form.decimal}'`
  return kind.kind === 'time' && kind.time.order?.isSure ? kind.time.words : undefined
}
