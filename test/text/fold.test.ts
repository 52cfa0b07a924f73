import { expect, test } from 'vitest'
import { COLUMNS, fold } from '../../src/text/fold.ts'
import { width } from '../../src/text/visible.ts'

test('folds prose at blanks, to the indent', () => {
  const lines = fold('word '.repeat(40).trim(), '    ', '  ')
  expect(lines.map((line) => /^ */.exec(line)![0].length)).toEqual([2, 4, 4])
  expect(lines.join(' ').split(/\s+/).filter(Boolean)).toHaveLength(40)
})

test('a count stays with its word, a path stays whole, and wide letters take two columns', () => {
  expect(fold(`${'x'.repeat(68)} bad_json 1,234, b`, '  ')).toEqual([
    `  ${'x'.repeat(68)}`,
    '  bad_json 1,234, b',
  ])
  const path = `/${'long/'.repeat(30)}end`
  expect(fold(`look at ${path} now`, '  ')).toEqual(['  look at', `  ${path}`, '  now'])
  for (const line of fold('日本語 '.repeat(30).trim(), '  ')) expect(width(line)).toBeLessThanOrEqual(COLUMNS)
})

test('an option stays with its value, and the name of the program with the command', () => {
  expect(fold(`${'x'.repeat(66)} --map m.yaml or`, '  ')).toEqual([
    `  ${'x'.repeat(66)}`,
    '  --map m.yaml or',
  ])
  expect(fold(`${'x'.repeat(66)} posthaul check`, '  ')).toEqual([`  ${'x'.repeat(66)}`, '  posthaul check'])
})

test('what fits is left alone', () => {
  expect(fold('', '  ')).toEqual(['  '])
  expect(fold('short', '  ')).toEqual(['  short'])
})
