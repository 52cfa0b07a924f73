import { type Draft, type RecordView, Rejection } from '../../mapping/preset.ts'
import { members } from '../../record/json-values.ts'
import { scalarText } from '../../record/text.ts'
import { timeOrNone } from '../../record/time.ts'
import { MICROS_PER_DAY } from '../../text/units.ts'
import { elementsChain, type PageElement } from '../elements-chain.ts'
import { requiredTime } from '../required.ts'

/** What Pendo books of a visitor or an account itself: visits, browsers. */
const OWN_BOOKS = /^auto(?:__.*)?$/
/** Sources whose values are the customer's own, and need no name before theirs. */
const PLAIN = new Set(['agent', 'custom'])

/**
 * What the customer's sources say of a visitor or an account, as [name, JSON as written]. A value of another source, such
 * as `salesforce`, has its source before the name; so has one whose name another source has taken.
 */
export function metadataOf(record: RecordView): ReadonlyArray<readonly [string, string]> {
  const told = new Map<string, string>()
  for (const [source, json] of sourcesOf(record)) {
    if (OWN_BOOKS.test(source)) continue
    if (!json.startsWith('{')) told.set(source, json)
    for (const [name, value] of json.startsWith('{') ? members(json) : []) {
      told.set(PLAIN.has(source) && !told.has(name) ? name : `${source}_${name}`, value)
    }
  }
  return [...told].filter(([, json]) => json !== 'null' && json !== '""')
}

/** Sources stand in `metadata`, or beside the id. */
function sourcesOf(record: RecordView): Array<readonly [string, string]> {
  const beside = ['agent', 'custom'].flatMap((source) => {
    const json = record.object(source)
    return json === undefined ? [] : [[source, json] as const]
  })
  return [...beside, ...record.entries('metadata')]
}

/** When it was last changed or seen, in microseconds. */
export function metadataTime(record: RecordView): number {
  for (const slot of ['last_updated', 'last_visit', 'first_visit']) {
    if (record.text(slot) !== undefined) return requiredTime(record, slot)
  }
  throw new Rejection('timestamp_missing', 'auto has no lastupdated, lastvisit or firstvisit')
}

/** What Pendo may call the parts of an element. Its form is not documented: names are read as they come. */
const TAG = /^(?:tag|tagName|nodeName)$/
const TEXT = /^(?:text|txt|textContent|innerText)$/
const CLASSES = /^(?:class|classes|className|classList|cls)$/
const ATTRIBUTES = /^(?:attrs|attributes)$/

/**
 * Gives an event what the service keeps of the element that it happened to. What is no list of elements, and a list with
 * parts that a chain has no place for, is kept as it was under `$pendo_element_path`.
 */
export function describeElementPath(record: RecordView, draft: Draft): void {
  const pieces = record.elements('element_path')
  const read = pieces.map(pageElement)
  const elements = inwards(read.flatMap((one) => one?.element ?? []))
  if (elements.length > 0) draft.text('$elements_chain', elementsChain(elements))
  const isWhole = elements.length > 0 && read.every((one) => one?.isWhole)
  if (!isWhole) draft.copy('$pendo_element_path', 'element_path')
}

/** The innermost first. */
function inwards(elements: readonly PageElement[]): readonly PageElement[] {
  return /^(?:html|body)$/.test(elements[0]?.tag ?? '') ? [...elements].reverse() : elements
}

/** An element, and whether all that was told of it is in it; undefined for what tells no tag. */
function pageElement(json: string): { element: PageElement; isWhole: boolean } | undefined {
  if (!json.startsWith('{')) return undefined
  const attributes = new Map<string, string>()
  const classes: string[] = []
  let [tag, text, isWhole] = ['', undefined as string | undefined, true]
  const places = new Map<string, number>()
  for (const [name, value] of members(json)) {
    const told = scalarText(value)
    if (ATTRIBUTES.test(name) && value.startsWith('{')) {
      for (const [attribute, own] of members(value)) {
        const given = scalarText(own)
        if (given === undefined) isWhole &&= own === 'null'
        else attributes.set(attribute, given)
      }
    } else if (CLASSES.test(name) && value.startsWith('[')) {
      classes.push(...(JSON.parse(value) as unknown[]).map(String))
    } else if (told === undefined) isWhole &&= value === 'null'
    else if (TAG.test(name)) tag = told.toLowerCase()
    else if (TEXT.test(name)) text = told
    else if (CLASSES.test(name)) classes.push(...told.split(/\s+/).filter(Boolean))
    else if (/^nth(?:Child|OfType)$/.test(name) && /^\d+$/.test(told)) places.set(name, Number(told))
    else attributes.set(name, told)
  }
  if (tag === '') return undefined
  const [nthChild, nthOfType] = [places.get('nthChild'), places.get('nthOfType')]
  return { element: { tag, classes, attributes, text, nthChild, nthOfType }, isWhole }
}

/** A region is a code, as `BE` or `DE-BE`, or a name. */
export function setPlace(record: RecordView, draft: Draft): void {
  const country = record.text('country')
  if (country !== undefined)
    draft.text(/^[A-Za-z]{2}$/.test(country) ? '$geoip_country_code' : '$geoip_country_name', country)
  const region = record.text('region')
  const code = /^(?:[A-Z]{2}-)?([A-Z\d]{1,3})$/.exec(region ?? '')?.[1]
  if (code !== undefined) draft.text('$geoip_subdivision_1_code', code)
  else draft.text('$geoip_subdivision_1_name', region)
}

/** The time is of the visitor's own clock. Pendo's, when the event arrived there, shows a wrong one. */
export function checkClock(record: RecordView, draft: Draft): void {
  const received = record.text('received')
  if (received === undefined) return
  const [at, time] = [timeOrNone(received), requiredTime(record, 'time')]
  if (at !== undefined && Math.abs(at - time) > MICROS_PER_DAY)
    draft.unusable('browserTimestamp is over a day from receivedTimestamp: a wrong clock')
}
