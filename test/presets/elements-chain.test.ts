import { expect, test } from 'vitest'
import { elementsChain, type PageElement } from '../../src/presets/elements-chain.ts'

const NOTHING = { tag: '', classes: [], text: undefined, nthChild: undefined, nthOfType: undefined }

function element(parts: Partial<Omit<PageElement, 'attributes'>>, attributes: Record<string, string> = {}) {
  return { ...NOTHING, ...parts, attributes: new Map(Object.entries(attributes)) }
}

/** A reader of chains as the service has one: elements, then tag and classes, then pairs. */
function read(chain: string) {
  return [...chain.matchAll(/(?:[^\s;"]|"(?:\\.|[^"])*")+/g)].map(([text]) => {
    const [, head = '', pairs = ''] = /^(.*?)(?:$|:([a-zA-Z\-_0-9]*=.*))$/.exec(text) ?? []
    const [tag, ...classes] = head.split('.')
    const attributes = [...pairs.matchAll(/(.*?)="(.*?[^\\])"/g)].map((pair) => [pair[1], pair[2]])
    return { tag, classes, attributes: Object.fromEntries(attributes) }
  })
}

test('a button in a box', () => {
  const button = element(
    { tag: 'button', classes: ['primary', 'btn'], text: 'Buy', nthChild: 2, nthOfType: 1 },
    { id: 'buy' },
  )
  const chain = elementsChain([button, element({ tag: 'div', nthChild: 1, nthOfType: 1 })])
  expect(chain).toBe(
    'button.btn.primary:attr__class="primary btn"attr__id="buy"attr_id="buy"nth-child="2"nth-of-type="1"text="Buy";' +
      'div:nth-child="1"nth-of-type="1"',
  )
})

test('a link has its address as an attribute and as its own', () => {
  const chain = elementsChain([element({ tag: 'a' }, { href: '/pricing', 'aria-label': 'Prices' })])
  expect(chain).toBe('a:attr__aria-label="Prices"attr__href="/pricing"href="/pricing"')
})

test('long texts and addresses are cut where the service cuts them, between characters', () => {
  const href = `/${'x'.repeat(3000)}`
  const [whole] = read(elementsChain([element({ tag: 'a', text: 'y'.repeat(500) }, { href })]))
  expect(whole?.attributes.text).toHaveLength(400)
  expect(whole?.attributes.href).toHaveLength(2048)
  expect(whole?.attributes.attr__href).toBe(href)
  const [odd] = read(elementsChain([element({ tag: 'a', text: `${'y'.repeat(399)}😀` })]))
  expect(odd?.attributes.text).toBe('y'.repeat(399))
})

test.each([
  ['say "hi"', 'say \\"hi\\"'],
  ['a\\"b', 'a\\"b'],
  ['ends in \\', 'ends in '],
  ['C:\\temp', 'C:\\temp'],
  ['two\nlines', 'two lines'],
  ['a;b:c="d"', 'a;b:c=\\"d\\"'],
])('%j is read back as one value', (text, expected) => {
  const chain = elementsChain([element({ tag: 'p', text, nthChild: 3 }), element({ tag: 'body' })])
  expect(read(chain)).toEqual([
    { tag: 'p', classes: [], attributes: { 'nth-child': '3', text: expected } },
    { tag: 'body', classes: [], attributes: {} },
  ])
})

test('odd names end neither the element nor its tag', () => {
  const odd = element(
    { tag: 'my;tag', classes: ['md:flex', 'a"b'] },
    { ':click': 'go()', 'x y': '1', empty: '' },
  )
  expect(read(elementsChain([odd, odd]))).toEqual(
    Array.from({ length: 2 }, () => ({
      tag: 'mytag',
      classes: ['ab', 'md:flex'],
      attributes: { attr__class: 'md:flex a\\"b', attr___click: 'go()', attr__x_y: '1' },
    })),
  )
})

test('no elements are no text', () => {
  expect(elementsChain([])).toBe('')
})
