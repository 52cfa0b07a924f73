import type { Draft, RecordView } from '../../mapping/preset.ts'
import { canonicalJson, elements, members } from '../../record/json-values.ts'
import { scalarText } from '../../record/text.ts'
import { elementOf, elementsChain, type PageElement } from '../elements-chain.ts'

/**
 * Gives an event of the browser library what the service keeps of the element that it happened to. `$elements` has that
 * element and those around it, innermost first; libraries without it tell of the one element only.
 */
export function describeElements(record: RecordView, draft: Draft, action: string): void {
  draft.text('$event_type', action)
  draft.property('$ce_version', '1')
  const pieces = record.elements('elements').filter((piece) => piece.startsWith('{'))
  const target = record.json('target')
  const at = target === undefined ? 0 : placeOf(canonicalJson(target), pieces)
  const found = pieces.map((piece, index) => pageElement(piece, index === at ? toldOf(record) : NOTHING_TOLD))
  const chain = elementsChain(found.length > 0 ? found : soleElement(record))
  if (chain !== '') draft.text('$elements_chain', chain)
  const given = record.json('elements')
  if (found.length === 0 && given !== undefined && given !== '[]')
    draft.copy('$mixpanel_elements', 'elements')
}

/** What the event says of the element that it happened to. */
interface Told {
  readonly text: string | undefined
  readonly href: string | undefined
}

const NOTHING_TOLD: Told = { text: undefined, href: undefined }

function toldOf(record: RecordView): Told {
  return { text: record.text('el_text'), href: record.text('el_href') }
}

/** The target may be an element around the first one, such as the button of an icon. */
function placeOf(target: string, pieces: readonly string[]): number {
  return Math.max(
    0,
    pieces.findIndex((piece) => canonicalJson(piece) === target),
  )
}

function pageElement(json: string, { text, href }: Told): PageElement {
  const known = new Map(members(json))
  const attributes = new Map<string, string>(href === undefined ? [] : [['href', href]])
  const id = scalarText(known.get('$id'))
  if (id !== undefined) attributes.set('id', id)
  for (const [name, value] of known) {
    const own = scalarText(value)
    if (name.startsWith('$attr-') && own !== undefined) attributes.set(name.slice('$attr-'.length), own)
  }
  return {
    tag: scalarText(known.get('$tag_name')) ?? '',
    classes: wordsIn(known.get('$classes')),
    attributes,
    text,
    nthChild: numberIn(known.get('$nth_child')),
    nthOfType: numberIn(known.get('$nth_of_type')),
  }
}

/** The element of a record without a list of them; none when it doesn't tell its tag. */
function soleElement(record: RecordView): PageElement[] {
  const tag = record.text('el_tag')
  if (tag === undefined) return []
  const classes = wordsIn(record.json('el_classes'))
  return [elementOf({ tag: tag.toLowerCase(), id: record.text('el_id'), classes, ...toldOf(record) })]
}

/** The classes in an array, or in one text. */
function wordsIn(json: string | undefined): string[] {
  const given = json?.startsWith('[') ? elements(json) : [json]
  return given.flatMap((one) => scalarText(one)?.split(/\s+/) ?? []).filter((word) => word !== '')
}

function numberIn(json: string | undefined): number | undefined {
  return json !== undefined && /^\d+$/.test(json) ? Number(json) : undefined
}
