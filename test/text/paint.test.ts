import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { hasColours, painted, paintedFor } from '../../src/text/paint.ts'

test.each([
  ['a terminal', true, {}, true],
  ['a pipe', false, {}, false],
  ['NO_COLOR', true, { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR', true, { NO_COLOR: '' }, true],
  ['TERM=dumb', true, { TERM: 'dumb' }, false],
  ['FORCE_COLOR in a pipe', false, { FORCE_COLOR: '1' }, true],
  ['an empty FORCE_COLOR', false, { FORCE_COLOR: '' }, true],
  ['FORCE_COLOR=0 on a terminal', true, { FORCE_COLOR: '0' }, false],
  ['FORCE_COLOR before NO_COLOR', true, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
])('%s', (_, isTTY, env, colours) => {
  expect(hasColours({ isTTY }, env)).toBe(colours)
  expect(paintedFor('posthaul: no', { isTTY }, env) === 'posthaul: no').toBe(!colours)
})

test('what a reader looks for first stands out, and the words stay', () => {
  const lines = [
    ...['posthaul: the key is refused', '- error: 6 group types', '- warning: 60,000 events a minute'],
    ...['- note: 3 rejected records', '  error    keys          none', '  ok       node          20.18.1'],
    ...['  rejected      12', '  properties.time 17  ≠ timestamp "2024"', '    ≠ timestamp "2024"'],
    ...['verify: 20 events in 3 days: all are there, exactly', '  then: posthaul import --dataset events/'],
  ]
  const text = painted(lines.join('\n'))
  expect(stripVTControlCharacters(text)).toBe(lines.join('\n'))
  for (const line of text.split('\n')) expect(line).toContain('\u001b[')
})

test('nothing else has a colour', () => {
  const text = '  read      12\n  rejected   0\nerror\n  a≠b\n  warnings of others\nno posthaul: here\n'
  expect(painted(text)).toBe(text)
})
