import { expect, test } from 'vitest'
import { hrefOf, readPlace } from '../../src/html/studio/place.ts'

test.each([
  ['', 'overview'],
  ['#events', 'events'],
  ['#nonsense', 'overview'],
  ['#__proto__', 'overview'],
  ['#records?event=a', 'records'],
])('the hash %j shows %s', (hash, view) => {
  expect(readPlace(hash).view).toBe(view)
})

test('a hash brings back any name of an event', () => {
  for (const event of ['Signed Up', 'a&b=c#d?e', '100%', 'ä\u0000\n', '</script>', '🚀']) {
    const { view, params } = readPlace(hrefOf('records', { event, reason: '' }))
    expect([view, params.get('event'), params.has('reason')]).toEqual(['records', event, false])
  }
})

test('a lone surrogate, which no address can hold, is replaced and throws nothing', () => {
  expect(readPlace(hrefOf('records', { event: 'a\ud800' })).params.get('event')).toBe('a\ufffd')
})
