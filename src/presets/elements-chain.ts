import { compareTexts } from '../text/words.ts'

/** An element of a page: the one that was clicked, or one that it is in. */
export interface PageElement {
  /** Its tag in lower case; '' where the source has none. */
  readonly tag: string
  readonly classes: readonly string[]
  /** By their names in the page, with `id` and `href` among them, without `class`. */
  readonly attributes: ReadonlyMap<string, string>
  readonly text?: string | undefined
  /** Its place among its parent's children, and among those with its tag, from 1. */
  readonly nthChild?: number | undefined
  readonly nthOfType?: number | undefined
}

export function elementOf({
  id,
  href,
  ...told
}: Omit<PageElement, 'attributes'> & Partial<Record<'id' | 'href', string | undefined>>): PageElement {
  const given = Object.entries({ id, href }).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return { ...told, attributes: new Map(given) }
}

/** Longest text and address of an element in a chain, in characters: the service's own library cuts them there. */
const MOST_TEXT = 400
const MOST_HREF = 2048

/**
 * Elements, the innermost first, as the text that the service keeps of them (`$elements_chain`):
 *
 *     button.btn.primary:attr__class="btn primary"attr__id="buy"attr_id="buy"nth-child="2"text="Buy";div:nth-child="1"
 *
 * Elements are parted by `;`. Each is its tag, its classes in order, `:` and its attributes in order, with nothing
 * between them. What is empty is left out. Source: `elementsToString` of posthog-js, src/autocapture-utils.ts.
 */
export function elementsChain(elements: readonly PageElement[]): string {
  return elements.map(elementText).join(';')
}

function elementText({ tag, classes, attributes, text, nthChild, nthOfType }: PageElement): string {
  const names = [...classes].sort()
  const href = attributes.get('href')
  const pairs: Array<readonly [name: string, value: string | undefined]> = [
    ['attr__class', classes.join(' ')],
    ...[...attributes].map(([name, value]) => [`attr__${name}`, value] as const),
    ['attr_id', attributes.get('id')],
    ['href', href && cut(href, MOST_HREF)],
    ['nth-child', nthChild?.toString()],
    ['nth-of-type', nthOfType?.toString()],
    ['text', text && cut(text, MOST_TEXT)],
  ]
  const head = [tag, ...names].map(plainName).join('.')
  const told = pairs
    .sort(([a], [b]) => compareTexts(a, b))
    .map(pairOf)
    .join('')
  // Without pairs, the colon would be read as the end of the tag's name.
  return told === '' ? head : `${head}:${told}`
}

/** A tag or class without the characters that end it in a chain. */
function plainName(name: string): string {
  return name.replace(/[\s";]/g, '')
}

/** `name="value"`, as a parser reads it back; '' for a value that is empty. */
function pairOf([name, value]: readonly [string, string | undefined]): string {
  const quoted = value === undefined ? '' : escaped(value)
  // A name of other characters would be taken for a part of the tag.
  return quoted === '' ? '' : `${name.replace(/[^\w-]/g, '_')}="${quoted}"`
}

/**
 * A value's text between the quotes. Readers of a chain know one escape, `\"`: a backslash before a quote or at the end
 * would be read as a part of it, and line breaks are no part of a value to them.
 */
function escaped(value: string): string {
  return value
    .replace(/[\r\n\u2028\u2029]+/g, ' ')
    .replace(/\\*"/g, '\\"')
    .replace(/\\+$/, '')
}

/** The text's first characters; none is cut in two. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')
}
