import { describe, expect, test } from 'vitest'
import { cutTo, pad, plainJson, visible, width } from '../../src/text/visible.ts'

describe('what a terminal would obey is shown', () => {
  test.each([
    ['\x1b[2J\x1b]0;gone\x07', '␛[2J␛]0;gone␇'],
    ['a\r\nb\tc', 'a␍␊b␉c'],
    ['\x7f\x9b31m', '␡\\u{9b}31m'],
    ['abc\u202excod.exe', 'abc\\u{202e}xcod.exe'],
    ['zero\u200bwidth\ufeff', 'zero\\u{200b}width\\u{feff}'],
    ['line\u2028end', 'line\\u{2028}end'],
    ['half \ud83d', 'half \\u{d83d}'],
    ['Zoë 东京 👩‍👩‍👧 نص', 'Zoë 东京 👩‍👩‍👧 نص'],
  ])('%j', (text, shown) => expect(visible(text)).toBe(shown))
})

describe('JSON for a terminal is equal, and holds nothing that is obeyed', () => {
  test.each([
    ['\x1b[2J\x07', '"\\u001b[2J\\u0007"'],
    ['\x7f\x9b31m', '"\\u007f\\u009b31m"'],
    ['abc\u202excod', '"abc\\u202excod"'],
    ['tag \u{e0041}', '"tag \\udb40\\udc41"'],
    ['Zoë 👩‍👩‍👧 \\ "\n', '"Zoë 👩‍👩‍👧 \\\\ \\"\\n"'],
  ])('%j', (text, shown) => {
    const json = plainJson(JSON.stringify(text))
    expect(json).toBe(shown)
    expect(JSON.parse(json)).toBe(text)
  })

  test('line ends between the values stay, and carriage returns become blanks', () => {
    expect(plainJson('{"a":\t1,\r\n "b": "\x9b"}')).toBe('{"a": 1, \n "b": "\\u009b"}')
  })
})

describe('columns', () => {
  test.each([
    ['abc', 3],
    ['Zoë', 3],
    ['Zoe\u0308', 3],
    ['东京', 4],
    ['👩‍👩‍👧', 2],
    ['❤️', 2],
    ['', 0],
  ])('%s takes %i', (text, columns) => expect(width(text)).toBe(columns))

  test('are never split', () => {
    expect(cutTo('东京都', 5)).toBe('东京…')
    expect(cutTo('东京都', 4)).toBe('东…')
    expect(cutTo('acme', 4)).toBe('acme')
    expect(pad('东京都', 4)).toBe('东… ')
    expect(pad('12', 4, 'right')).toBe('  12')
  })
})
