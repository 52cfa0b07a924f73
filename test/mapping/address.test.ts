import { expect, test } from 'vitest'
import { type Address, cutAddress } from '../../src/mapping/derived.ts'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'

/** The same as one expression, which is slower. */
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)([^?#]*)(\?[^#]*)?/i
const PIECES = [
  'a',
  'Z',
  '0',
  '+',
  '-',
  '.',
  ':',
  '/',
  '//',
  '://',
  '?',
  '#',
  '@',
  'é',
  '%',
  ' ',
  '_',
  '\u0080',
  '`',
]

function cut(text: string): string[] | undefined {
  const bytes = Buffer.from(`<${text}>`)
  const end = bytes.length - 1
  const address: Address = { hostStart: 0, hostEnd: 0, pathEnd: 0, searchEnd: 0 }
  if (!cutAddress(bytes, 1, end, address)) return undefined
  const { hostStart, hostEnd, pathEnd, searchEnd } = address
  const parts = [
    [hostStart, hostEnd],
    [hostEnd, pathEnd],
    [pathEnd, searchEnd],
  ]
  return parts.map(([from, to]) => bytes.toString('utf8', from, to))
}

test.each<[text: string, parts: string[] | undefined]>([
  ['https://me:pw@Example.com:8080/a/b?x=/?#y?z', ['Example.com:8080', '/a/b', '?x=/?']],
  ['https://example.com#/a?b', ['example.com', '', '']],
  ['https://a@b@c/d', ['b@c', '/d', '']],
  ['file:///a', ['', '/a', '']],
  ['a://', ['', '', '']],
  ['1a://b', undefined],
  ['://b', undefined],
  ['a:/b', undefined],
  ['a', undefined],
  ['', undefined],
])('cuts %s', (text, parts) => expect(cut(text)).toEqual(parts))

test('cuts any text as the expression does', () => {
  const random = seeded(seedOf('addresses'))
  for (let i = 0; i < 20_000; i++) {
    const length = Math.floor(random() * 12)
    const text = Array.from({ length }, () => PIECES[Math.floor(random() * PIECES.length)]!).join('')
    const match = ADDRESS.exec(text)
    const expected = match ? [match[1], match[2], match[3] ?? ''] : undefined
    const found = cut(text)
    if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found, text).toEqual(expected)
  }
})
