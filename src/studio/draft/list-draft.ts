import { evenly } from '../../inputs/thinned.ts'
import { pathSegments, quotedSegment } from '../../mapping/member-path.ts'
import { rowNames, rowObject } from '../../mapping/named-rows.ts'
import { loadPreset } from '../../presets/index.ts'
import { type Recognised, recognise } from '../../presets/recognise.ts'
import { elements, isJson, members, objectJson } from '../../record/json-values.ts'
import { textIn } from '../../record/text.ts'
import { firstFew, number, plural } from '../../text/words.ts'
import { profilesOf } from '../profile/profiles-of.ts'
import { castRoles } from '../profile/roles.ts'
import { askedApart } from './draft-facts.ts'
import { asked, comment, inComment, isSecret, yamlKeyText } from './yaml-text.ts'

const MOST_ELEMENTS = 10_000
const RECOGNISED_BY = 1000
/** What answers and bodies of APIs have beside their list, which says nothing of an element. */
const ENVELOPE =
  /^(?:next|prev(?:ious)?|cursor|page|pages|per_?page|page_?size|offset|limit|total|count|size|rows|has_?more|links?|url|object|meta(?:data)?|columns|cols|fields|headers?|column_?names|types|schema|statistics|status|code|error|errors|message|took|timed_?out|hogql|query|is_?cached|cache_.*|historical_migration|sent_?at|request_?id|_.*)$/i

/** What a mapping file says of lists that hold the events. */
export interface ListDraft {
  readonly lines: readonly string[]
  /** The member that records are cut by; undefined where a record is an event. */
  readonly list: string | undefined
  /** What becomes events: the records, or each element in its record. */
  readonly texts: readonly string[]
  /** Members beside the list that each event gets. */
  readonly kept: readonly string[]
  /** The vendor whose records the elements are. */
  readonly recognised?: Recognised | undefined
}

interface ListOptions {
  /** True for tables of text. */
  readonly isText: boolean
  /** Of the inputs. */
  readonly files: number
  /** Microseconds. */
  readonly now: number
}

/**
 * Looks for a list whose elements are records of a vendor, such as the body of a request. Its members beside the list are of
 * the envelope. Undefined where no preset knows the elements, or none that can cut records.
 */
export async function vendorList(texts: readonly string[]): Promise<ListDraft | undefined> {
  for (const name of listNames(texts)) {
    const { records, children } = childrenOf(texts, name)
    const some = evenly(children, RECOGNISED_BY).map(({ element }) => JSON.parse(element) as unknown)
    const recognised = await recognise(some)
    if (!recognised || recognised.preset === 'events') continue
    const { explode, reshape, sideTables = [] } = await loadPreset(recognised.preset)
    if (explode || reshape || sideTables.length > 0) continue
    const path = quotedSegment(name)
    const beside = besideOf(texts, name)
    const left = beside.length === 0 ? '' : `. ${firstFew(beside.map(inComment), 4)} beside it: left out`
    const text = `${number(records)} of ${number(texts.length)} records hold a list ${inComment(path)} of ${plural(children.length, 'record')}: each becomes an event${left}`
    const all = evenly(children, MOST_ELEMENTS).map(({ whole }) => whole)
    const lines = [`explode: ${yamlKeyText(path)}`, ...comment(text, '  '), '']
    return { list: name, texts: all, kept: [], recognised, lines }
  }
  return undefined
}

/**
 * Looks for lists whose elements are events: they are objects, or rows whose values are named beside the list, and have a time
 * or a name of an event of their own. Records are cut by such a list where they are no events themselves; where they are, or
 * the columns of a table would be other ones, it is only asked about.
 */
export function listDraft(texts: readonly string[], { isText, files, now }: ListOptions): ListDraft {
  const none = { list: undefined, texts, kept: [], lines: [] }
  const found = listNames(texts).flatMap((name) => listedIn(texts, name, now) ?? [])
  const [best] = found.sort((a, b) => b.signs.length - a.signs.length || b.texts.length - a.texts.length)
  if (!best) return none
  const own = castRoles(profilesOf(texts, { now }), texts)
  const isEvent = own.event?.isSure === true && own.timestamp !== undefined
  const isCut = !isText && !isEvent && (best.isNamed || own.timestamp === undefined)
  const path = quotedSegment(best.name)
  const line = `explode: ${yamlKeyText(path)}`
  const signed = best.signs.map(({ profile }) => inComment(profile.member.name))
  const what = `${number(best.records)} of ${number(texts.length)} records hold a list ${inComment(path)}, whose ${plural(best.texts.length, 'element')} have ${signed.join(' and ')} of their own`
  const without = texts.length - best.records
  const empty = without === 0 ? '' : `, and ${plural(without, 'record')} without any none`
  const text = isCut
    ? `${what}: each element becomes an event${empty}. Is it one? Without the line above, a record is one event`
    : `${what}: are these the events? "${inComment(line)}" makes an event of each`
  if (!isCut) return { ...none, lines: askedApart(text) }
  // One record a file is an answer or a body: what stands beside its list is of the envelope.
  const isMany = best.records > files
  const beside = besideOf(texts, best.name)
  const details = beside.filter((name) => !ENVELOPE.test(name) && !isSecretIn(texts, name))
  const kept = isMany ? details : []
  const more =
    isMany || details.length === 0
      ? []
      : [
          `${firstFew(details.map(inComment), 4)} beside the list: left out, as of the whole. "explode_with: [${details.map((name) => inComment(yamlKeyText(name))).join(', ')}]" gives ${details.length === 1 ? 'it' : 'them'} to each event: is that wanted?`,
        ]
  return {
    list: best.name,
    texts: best.texts,
    kept,
    lines: [
      line,
      ...asked(text),
      ...(kept.length > 0 ? [`explode_with: [${kept.map(yamlKeyText).join(', ')}]`] : []),
      ...more.flatMap(asked),
      '',
    ],
  }
}

/** Names of the other members of records that have a list. */
function besideOf(texts: readonly string[], list: string): string[] {
  return [...new Set(texts.flatMap((text) => members(text).map(([name]) => name)))].filter(
    (name) => name !== list,
  )
}

function isSecretIn(texts: readonly string[], name: string): boolean {
  return texts.some((text) =>
    members(text).some(([own, json]) => own === name && json.startsWith('"') && isSecret(name, textIn(json))),
  )
}

/** Members at the top of records that hold an object in a list, in some record. */
function listNames(texts: readonly string[]): string[] {
  const names = new Set<string>()
  for (const text of texts) {
    const all = members(text)
    const isNamed = rowNames(all) !== undefined
    for (const [name, json] of all) {
      const [first = ''] = elementsIn(json)
      if (first.startsWith('{') || (isNamed && first.startsWith('['))) names.add(name)
    }
  }
  return [...names]
}

/** The elements of a list, or of one that text holds. */
function elementsIn(json: string): string[] {
  if (json.startsWith('[')) return elements(json)
  const text = /^"\s*\[/.test(json) ? textIn(json) : ''
  return isJson(text) ? elements(text) : []
}

/**
 * The elements of a list that are objects, alone and in their record. `records`: those whose list has elements. `isWhole` is false
 * if some element is no object, and no row whose values are named.
 */
function childrenOf(texts: readonly string[], name: string) {
  let records = 0
  let isWhole = true
  const children: Array<{ readonly element: string; readonly whole: string }> = []
  for (const text of texts) {
    const all = members(text)
    const names = rowNames(all.filter(([own]) => own !== name))
    const list = elementsIn(all.findLast(([own]) => own === name)?.[1] ?? '')
    if (list.length > 0) records++
    for (const written of list) {
      const element = written.startsWith('[') && names ? (rowObject(names, written) ?? written) : written
      isWhole &&= element.startsWith('{')
      if (!element.startsWith('{')) continue
      const whole = objectJson(all.map(([own, json]) => [own, own === name ? element : json]))
      children.push({ element, whole })
    }
  }
  return { records, children, isWhole }
}

/** A list whose elements are events, by a time or a name of their own, the `signs`; undefined for other ones. */
function listedIn(texts: readonly string[], name: string, now: number) {
  const { records, children, isWhole } = childrenOf(texts, name)
  if (!isWhole) return undefined
  const shown = evenly(children, MOST_ELEMENTS).map(({ whole }) => whole)
  const own = profilesOf(shown, { now }).filter(({ member }) => pathSegments(member.name)[0] === name)
  const { timestamp, event } = castRoles(own, shown)
  const isNamed = event?.isSure === true
  const signs = [timestamp, isNamed ? event : undefined].filter((cast) => cast !== undefined)
  return signs.length === 0 ? undefined : { name, records, texts: shown, signs, isNamed }
}
