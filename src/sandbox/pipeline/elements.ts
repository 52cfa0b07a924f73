import { isObject, type JsonObject } from '../json/parse.ts'

const MAX_TEXT = 400
const MAX_HREF = 2048

/** Takes the clicked elements out of an event and writes them as one chain; a chain of the sender wins. */
export function takeElements(properties: Record<string, unknown>): string {
  const { $elements_chain: chain, $elements: elements } = properties
  if (chain === undefined && elements === undefined) return ''
  delete properties.$elements_chain
  delete properties.$elements
  if (typeof chain === 'string') return chain
  return Array.isArray(elements) ? elements.filter(isObject).map(link).join(';') : ''
}

function link(element: JsonObject): string {
  const { tag_name: tag, $el_text: text, attr__href: href, attr__id: id } = element
  const attributes: Record<string, unknown> = {
    ...(typeof text === 'string' && text !== '' && { text: text.slice(0, MAX_TEXT) }),
    ...(typeof href === 'string' && href !== '' && { href: href.slice(0, MAX_HREF) }),
    ...(typeof id === 'string' && id !== '' && { attr_id: id }),
    'nth-child': element.nth_child ?? 0,
    'nth-of-type': element.nth_of_type ?? 0,
    ...Object.fromEntries(Object.entries(element).filter(([name]) => name.startsWith('attr__'))),
  }
  const pairs = Object.keys(attributes)
    .sort()
    .map((name) => `${name}="${String(attributes[name]).replaceAll('"', '\\"')}"`)
  const classes = classesOf(element.attr__class).map((name) => `.${name.replaceAll('"', '')}`)
  return `${typeof tag === 'string' ? tag : ''}${classes.join('')}:${pairs.join('')}`
}

function classesOf(value: unknown): string[] {
  const names = Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(/\s+/) : []
  return names.filter((name) => name !== '').sort()
}
