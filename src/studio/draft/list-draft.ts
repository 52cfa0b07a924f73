import { evenly } from '../../inputs/index.ts'
import { pathSegments, quotedSegment } from '../../mapping/index.ts'
import { elements, isJson, members, textIn } from '../../record/index.ts'
import { number, plural } from '../../text/index.ts'
import { profilesOf } from '../profile/profiles-of.ts'
import { type Cast, castRoles } from '../profile/roles.ts'
import type { DraftLines } from './draft-facts.ts'
import { comment, inComment, yamlKeyText } from './yaml-text.ts'

const MOST_ELEMENTS = 10_000

/** What a mapping file says of lists that hold the events. */
export interface ListDraft extends DraftLines {
  /** The member that records are cut by; undefined where a record is an event. */
  readonly list: string | undefined
  /** What becomes events: the records, or each element in its record. */
  readonly texts: readonly string[]
}

interface Listed {
  readonly name: string
  /** Records whose list has elements. */
  readonly records: number
  readonly texts: readonly string[]
  /** The time and the name of the event that elements have themselves. */
  readonly time: Cast | undefined
  readonly event: Cast | undefined
}

/**
 * Looks for lists whose elements are events: they are objects, and have a time or a name of an event of their own. Records are
 * cut by such a list where they are no events themselves; where they are, or the columns of a table would be other ones, it
 * is only asked about.
 */
export function listDraft(texts: readonly string[], isText: boolean, now: number): ListDraft {
  const none = { list: undefined, texts, lines: [], questions: [] }
  const found = listNames(texts).flatMap((name) => listedIn(texts, name, now) ?? [])
  const [best] = found.sort((a, b) => signs(b) - signs(a) || b.texts.length - a.texts.length)
  if (!best) return none
  const own = castRoles(profilesOf(texts, { now }), texts.length)
  const isEvent = own.event?.isSure === true && own.timestamp !== undefined
  const isCut = !isText && !isEvent && (best.event !== undefined || own.timestamp === undefined)
  const path = quotedSegment(best.name)
  const line = `explode: ${yamlKeyText(path)}`
  const signed = [best.time, best.event].flatMap((cast) =>
    cast ? [inComment(cast.profile.member.name)] : [],
  )
  const what = `${number(best.records)} of ${number(texts.length)} records hold a list ${inComment(path)}, whose ${plural(best.texts.length, 'element')} have ${signed.join(' and ')} of their own`
  const without = texts.length - best.records
  const empty = without === 0 ? '' : `, and ${plural(without, 'record')} without any none`
  const text = isCut
    ? `${what}: each element becomes an event${empty}. Is it one? Without the line above, a record is one event`
    : `${what}: are these the events? "${inComment(line)}" makes an event of each`
  return {
    list: isCut ? best.name : undefined,
    texts: isCut ? best.texts : texts,
    lines: [...(isCut ? [line] : []), ...comment(text, isCut ? '  ' : '', '# ? '), ''],
    questions: [{ about: path, text }],
  }
}

function signs({ time, event }: Listed): number {
  return Number(time !== undefined) + Number(event !== undefined)
}

/** Members at the top of records that hold an object in a list, in some record. */
function listNames(texts: readonly string[]): string[] {
  const names = new Set<string>()
  for (const text of texts) {
    for (const [name, json] of members(text)) if (elementsIn(json)[0]?.startsWith('{')) names.add(name)
  }
  return [...names]
}

/** The elements of a list, or of one that text holds. */
function elementsIn(json: string): string[] {
  if (json.startsWith('[')) return elements(json)
  const text = /^"\s*\[/.test(json) ? textIn(json) : ''
  return isJson(text) ? elements(text) : []
}

/** A list whose elements are events; undefined for other ones. */
function listedIn(texts: readonly string[], name: string, now: number): Listed | undefined {
  let records = 0
  const children: string[] = []
  for (const text of texts) {
    const all = members(text)
    const list = elementsIn(all.findLast(([own]) => own === name)?.[1] ?? '')
    if (list.some((one) => !one.startsWith('{'))) return undefined
    if (list.length > 0) records++
    for (const element of list) {
      const inside = all.map(([own, json]) => `${JSON.stringify(own)}:${own === name ? element : json}`)
      children.push(`{${inside.join(',')}}`)
    }
  }
  const shown = evenly(children, MOST_ELEMENTS)
  const own = profilesOf(shown, { now }).filter(({ member }) => pathSegments(member.name)[0] === name)
  const { timestamp, event } = castRoles(own, shown.length)
  const signed = { time: timestamp, event: event?.isSure ? event : undefined }
  if (!signed.time && !signed.event) return undefined
  return { name, records, texts: shown, ...signed }
}
