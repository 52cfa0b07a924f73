import { PosthaulError } from '../errors.ts'
import { type FoundEncoding, findEncoding } from '../inputs/find-encoding.ts'
import { type CellReading, type InputFile, readAs } from '../inputs/input-file.ts'
import { emptyInput } from '../inputs/read.ts'
import { readSpread } from '../inputs/spread.ts'
import { evenly } from '../inputs/thinned.ts'
import { NO_COLUMNS } from '../mapping/columns.ts'
import { quotedSegment } from '../mapping/member-path.ts'
import type { Preset } from '../mapping/preset.ts'
import { loadPreset } from '../presets/index.ts'
import { type Recognised, recognise, recogniseFolded } from '../presets/recognise.ts'
import { isJson } from '../record/json-values.ts'
import { MICROS_PER_MS } from '../text/units.ts'
import { columnsFor } from '../transform/make-job.ts'
import { kindWords } from './draft/column-lines.ts'
import { type Facts, type MappingDraft, tableName } from './draft/draft-facts.ts'
import { eventsDraft } from './draft/events-draft.ts'
import { eventOf, type FlatColumns, flatColumns } from './draft/flat-columns.ts'
import { type ListDraft, listDraft, vendorList } from './draft/list-draft.ts'
import { headLines } from './draft/mapping-head.ts'
import { arePeople, countsOf, noEvents } from './draft/no-events.ts'
import {
  caseDraft,
  encodingDraft,
  escapesDraft,
  headerDraft,
  partitionDraft,
  perFileDraft,
  unreadDraft,
} from './draft/reading-lines.ts'
import { rejectQuestion, vendorDraft } from './draft/vendor-draft.ts'
import { comment, example, yamlKeyText } from './draft/yaml-text.ts'
import { type Headers, readHeaders } from './headers.ts'
import { dayAndClock } from './profile/day-and-clock.ts'
import { assertNotStopped, manyProfilesOf } from './profile/profiles-of.ts'
import { castRoles, groupTypeName, type Roles } from './profile/roles.ts'
import { questionsIn } from './setup/setup-of.ts'
import { type Trial, tryMapping } from './trial.ts'

interface FirstOptions {
  /** The paths, as the user named them. */
  readonly asked: readonly string[]
  /** The command that tries the file. */
  readonly next: string
  /** Microseconds. */
  readonly now: number
  readonly progress?: (bytes: number) => void
  readonly stop: AbortSignal
}

const RECORDS = 10_000
const RECOGNISED_BY = 1000

/** Looks at inputs and writes their mapping file. Code `input` where there is no record. */
export async function firstMapping(found: readonly InputFile[], options: FirstOptions) {
  const { asked, now, stop, progress } = options
  const { encoding, ...rest } = await findEncoding(found)
  const said = encodingDraft({ encoding, ...rest })
  const inText = readAs(found, { encoding })
  const asHeaders = await readHeaders(inText).catch((error: unknown) => {
    throw unknownEncoding(said, rest) ?? error
  })
  const header = headerDraft(asHeaders.first)
  const headers: Headers = header.names
    ? { ...asHeaders, names: header.names, nameless: [], partial: new Set() }
    : asHeaders
  const left = Object.fromEntries(headers.nameless.map((name) => [name, null]))
  const columns = { ...NO_COLUMNS, columns: left, names: header.names }
  const spreadOf = (inputs: readonly InputFile[]) =>
    readSpread(inputs, { records: RECORDS, columns, stop, ...(progress && { progress }) })
  const asWritten = await spreadOf(inText)
  const read = unreadDraft(asWritten)
  const { json } = read
  const reading = { encoding, json }
  const inputs = json ? readAs(found, reading) : inText
  const spread = json ? await spreadOf(inputs) : asWritten
  await assertNotStopped(stop)
  if (spread.read === 0 && headers.names.length === 0) throw emptyInput(asked.join(' '))
  const known = spread.records
    .map(({ bytes, input }) => ({ text: bytes.toString('utf8'), input }))
    .filter(({ text }) => /^\s*\{/.test(text) && isJson(text))
  const texts = known.map(({ text }) => text)
  const isText = isTextTables(inputs)
  const flat = isText ? flatColumns(headers.names, (await loadPreset('posthog')).fields) : undefined
  const some = evenly(texts, RECOGNISED_BY).map((text) => JSON.parse(flat ? eventOf(text) : text) as unknown)
  const own = await recognise(some)
  const inList = own || isText ? undefined : await vendorList(texts)
  const recognised = own ?? inList?.recognised
  const cased = recognised ? [] : caseDraft(await recogniseFolded(some))
  const preset = recognised?.preset ?? 'events'
  const loaded = await loadPreset(preset)
  const listed =
    preset === 'events' ? listDraft(texts, { isText, files: found.length, now }) : own ? undefined : inList
  const about = { preset, loaded, recognised, now, listed, flat, sampled: texts.length }
  await assertNotStopped(stop)
  const all = await factsOf(inputs, listed?.texts ?? texts, headers, about, stop)
  await assertNotStopped(stop)
  const unlike = noEvents(all, spread.records, texts, now)
  const facts = unlike ? { ...all, roles: { groups: [] }, people: undefined, table: undefined } : all
  const trying = { asked, records: RECORDS, stop }
  const draft =
    preset === 'events'
      ? eventsDraft(facts)
      : vendorDraft(facts, loaded, await tryMapping(bare(preset, reading, facts), inputs, trying))
  const files = known.map(({ input }) => input)
  const apart = [
    ...[unlike?.lines ?? [], partitionDraft(found, all), cased, listed?.lines ?? []],
    unlike ? [] : perFileDraft(facts, files, now),
  ]
  const escapes = isText ? escapesDraft(texts) : []
  const lines = [...said, ...header.lines, ...escapes, ...read.lines, ...apart.flat()]
  const head = { asked: asked.join(' '), next: options.next, spread, recognised, reading: lines }
  const text = (trial: Trial | undefined, asked?: string) => {
    const question = asked === undefined ? [] : comment(asked, '', '# ? ')
    return `${[...headLines(head, facts, draft, { trial, question }), ...draft.lines].join('\n')}\n`
  }
  const trial = draft.missing.length > 0 ? undefined : await tryMapping(text(undefined), inputs, trying)
  const yaml = text(trial, trial && rejectQuestion(trial))
  return {
    yaml,
    preset,
    recognised,
    /** What the file says that the text is in; undefined where it needs to say nothing. */
    encoding,
    spread,
    /** The member whose elements become events; undefined where records do. */
    list: facts.list,
    /** Of tables of different kinds, which need a mapping file each, the file of the first. */
    firstOfKinds: unlike?.firstOfKinds,
    findings: findingsOf(facts, draft),
    questions: questionsIn(yaml).map(({ about, text }) => ({ about, text })),
    missing: draft.missing,
    /** What the file makes of the sample; undefined while something is missing in it. */
    trial,
  }
}

/** What is said in place of "the names are not UTF-8", where the encoding is asked about anyway. */
function unknownEncoding(said: readonly string[], { unknown }: Pick<FoundEncoding, 'unknown'>) {
  const [asked] = questionsIn(said.join('\n'))
  if (unknown.length === 0 || !asked) return undefined
  return new PosthaulError(asked.text, {
    code: 'input',
    hint: 'no mapping file can be written before the names of its columns can be read',
  })
}

/** True where some of the inputs are tables of text. */
function isTextTables(inputs: readonly InputFile[]): boolean {
  return inputs.some(({ format }) => format === 'csv' || format === 'tsv')
}

/** What is known of inputs. `texts`: what was looked at that can become an event: records, or elements of their list. */
export async function factsOf(
  inputs: readonly InputFile[],
  texts: readonly string[],
  headers: Headers,
  known: {
    readonly preset: string
    readonly loaded: Preset
    readonly recognised: Recognised | undefined
    readonly now: number
    readonly listed: ListDraft | undefined
    readonly flat: FlatColumns | undefined
    /** Records that were looked at. */
    readonly sampled: number
  },
  stop: AbortSignal,
) {
  const { preset, loaded, recognised, now, listed, flat, sampled } = known
  const isText = isTextTables(inputs)
  const list = listed?.list
  const columns = isText ? headers.names : undefined
  const profiles = await manyProfilesOf(texts, { columns, list, now }, stop)
  const cast = castRoles(profiles, texts, list)
  const pair = cast.timestamp && dayAndClock(cast.timestamp.profile, profiles, now)
  const all: Roles =
    pair && cast.timestamp
      ? { ...cast, timestamp: { profile: pair.joined, isSure: cast.timestamp.isSure } }
      : cast
  const table = tableName(inputs)
  const isOwn = preset === 'events' && !recognised
  const counts = isOwn ? countsOf(profiles, cast) : []
  const person = cast.distinct_id?.profile
  const isOneEach = person !== undefined && person.distinct >= person.member.values.length * 0.95
  const byName = table?.isPeople === true && isOneEach && cast.event?.isSure !== true
  const isPeople = isOwn && counts.length === 0 && (byName || arePeople(profiles, cast, table?.name))
  const { distinct_id, timestamp } = all
  const some = { ...(distinct_id && { distinct_id }), ...(timestamp && { timestamp }), groups: [] }
  const roles: Roles = counts.length > 0 ? { groups: [] } : isPeople ? some : all
  return {
    ...{ preset, recognised, sampled, texts, profiles, roles, isText, table },
    records: texts.length,
    /** The member whose elements are the events; undefined where the records are. */
    list,
    /** Members beside the list that each event gets. */
    kept: listed?.kept ?? [],
    /** Where the columns of flattened events of PostHog lie in their event. */
    flat: preset === 'posthog' ? flat : undefined,
    /** The time of day of the event, where `roles.timestamp` is a day joined with it. */
    clock: pair?.clock,
    isTable: isText || inputs.some(({ format }) => format === 'parquet' || format === 'avro'),
    /** Columns that can't be read: they have no name, or one that another has too. */
    nameless: headers.nameless,
    /** Columns that some file of a table lacks: `columns` can't name them. */
    partial: headers.partial,
    /** True where a record says who somebody is, and nothing that happened. */
    arePeople: isPeople,
    /** Of rows that are sums and no events, the members that count. */
    counts: counts.map(({ member }) => member.name),
    /** Of tables of people, whose columns go into `$set`: the names of their tables. */
    people: isPeople && isText ? [...new Set(inputs.flatMap((one) => one.table ?? []))] : undefined,
    /** The members that the preset reads, where it would lose others. */
    only: isText ? columnsFor(NO_COLUMNS, preset, loaded, inputs).only?.members : undefined,
  }
}

/** What can be tried before anything is known. */
function bare(
  preset: string,
  { encoding, json }: CellReading,
  { nameless, only, profiles, list, flat }: Facts,
): string {
  const lost = profiles.flatMap(({ member: { name } }) =>
    only && !flat && !only.includes(name) ? [name] : [],
  )
  const places = [...nameless, ...lost].map((name) => [name, null] as const)
  const columns = [...places, ...(flat ?? [])].map(
    ([name, place]) => `  ${JSON.stringify(name)}: ${place === null ? 'null' : JSON.stringify(place)}`,
  )
  const read = [...(encoding ? [`encoding: ${encoding}`] : []), ...(json ? [`json: ${json}`] : [])]
  if (list !== undefined) read.push(`explode: ${yamlKeyText(quotedSegment(list))}`)
  return [`preset: ${preset}`, ...read, ...(columns.length > 0 ? ['columns:', ...columns] : [])].join('\n')
}

/** What each column or member was taken for. */
function findingsOf({ profiles, roles, preset }: Facts, { missing }: MappingDraft) {
  const found = new Map<string, string>()
  if (preset === 'events') {
    for (const role of ['event', 'distinct_id', 'timestamp', 'uuid', 'anonymous_id'] as const) {
      const name = roles[role]?.profile.member.name
      if (name !== undefined && !missing.some((one) => one === role)) found.set(name, role)
    }
    for (const { profile } of roles.groups) {
      found.set(profile.member.name, `groups.${groupTypeName(profile.member.name)}`)
    }
  }
  return profiles.map(({ member, kind }) => ({
    name: member.name,
    type: kindWords(kind),
    /** What it is to an event, if anything: `distinct_id`, `groups.company`. */
    role: found.get(member.name) ?? null,
    filled: member.values.length,
    example: example(member.name, member.texts[0]),
  }))
}

/** What a mapping file begins as: with the preset that was named, else as `posthaul init` writes it. */
export async function startMapping(
  inputs: readonly InputFile[],
  { asked, preset, stop }: Pick<FirstOptions, 'asked' | 'stop'> & { readonly preset: string | undefined },
): Promise<string> {
  if (preset !== undefined) {
    const lines = encodingDraft(await findEncoding(inputs))
    return [`preset: ${JSON.stringify(preset)}`, ...lines, ''].join('\n')
  }
  const next = 'posthaul transform --map, with this file'
  const now = Date.now() * MICROS_PER_MS
  return (await firstMapping(inputs, { asked, next, now, stop })).yaml
}
