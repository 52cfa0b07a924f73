import { expect, test } from 'vitest'
import { LineTally, tallied } from '../../src/sources/line-tally.ts'

async function run(text: string, step: number, keep = 100) {
  const bytes = Buffer.from(text)
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step)
  }
  const tally = new LineTally(keep)
  const out: Buffer[] = []
  for await (const chunk of tallied(pieces(), tally)) out.push(chunk)
  return { lines: tally.lines, last: tally.lastLine(), out: Buffer.concat(out).toString() }
}

test.each([
  ['', 0, undefined, ''],
  ['a', 1, 'a', 'a\n'],
  ['a\n', 1, 'a', 'a\n'],
  ['a\nbc', 2, 'bc', 'a\nbc\n'],
  ['a\n\n\r\nbc\n\n', 2, 'bc', 'a\n\n\r\nbc\n\n'],
  ['a\r\nbc\r\n', 2, 'bc', 'a\r\nbc\r\n'],
  ['\n\n', 0, undefined, '\n\n'],
  ['é\u2028x\ny', 2, 'y', 'é\u2028x\ny\n'],
])('%j has %i lines', async (text, lines, last, out) => {
  for (let step = 1; step <= 5; step++) expect(await run(text, step)).toEqual({ lines, last, out })
})

test('a last line longer than what is kept is not returned', async () => {
  expect(await run(`a\n${'x'.repeat(11)}`, 3, 10)).toMatchObject({ lines: 2, last: undefined })
  expect(await run(`${'x'.repeat(11)}\na`, 3, 10)).toMatchObject({ lines: 2, last: 'a' })
})
