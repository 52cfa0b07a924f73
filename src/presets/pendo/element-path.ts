import type { Draft, RecordView } from '../../mapping/index.ts'
import { members, scalarText } from '../../record/index.ts'
import { elementsChain, type PageElement } from '../elements-chain.ts'

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
