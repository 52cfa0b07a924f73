import { expect, test } from 'vitest'
import { renderPairs, renderRefused } from '../../../src/cli/text/pairs.ts'

const LONG = `{"event":"${'é'.repeat(600_000)}"}`

test('records and events of a usual length are shown whole', () => {
  const [record, event] = ['r'.repeat(2000), 'e'.repeat(2000)]
  expect(renderPairs([{ record, event }])).toBe(`record  ${record}\n event  ${event}\n\n`)
})

test('of a long one the beginning is shown, and how long it is', () => {
  const pairs = renderPairs([{ record: LONG, event: LONG }])
  const refused = renderRefused(new Map([['bad_json', { count: 1, message: 'no', record: LONG }]]))
  for (const text of [pairs, refused]) {
    expect(text).toMatch(/^record {2}\{"event":"é{300,400}… \(1,200,012 bytes in all\)\n/)
    for (const line of text.split('\n')) expect(line.length).toBeLessThan(450)
  }
})

test('a record that was too long to be held is told of', () => {
  const refused = new Map([['line_too_long', { count: 1, message: 'a long line', record: null }]])
  expect(renderRefused(refused)).toBe('record  (too long to show)\nreject  line_too_long: a long line\n\n')
})
