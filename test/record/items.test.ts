import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eachItem } from '../../src/record/items.ts'

function items(text: string): string[] {
  const bytes = Buffer.from(text)
  const found: string[] = []
  eachItem(bytes, 0, bytes.length, (start, end) => found.push(bytes.toString('utf8', start, end)))
  return found
}

test.each([
  ['[]', []],
  ['[ \n ]', []],
  ['[1]', ['1']],
  ['[ 12345678901234567890 , 1.0,\t"a,]\\"[" ]', ['12345678901234567890', '1.0', '"a,]\\"["']],
  ['[[1,[2]],{"a":[3,{"b":"}"}]}]', ['[1,[2]]', '{"a":[3,{"b":"}"}]}']],
  ['["\\\\","x"]', ['"\\\\"', '"x"']],
])('%s', (text, spans) => expect(items(text)).toEqual(spans))

test('the spans parse to what the array holds', () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000_000)
  const indents = fc.constantFrom('', ' ', '\n\t')
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), indents, (values, indent) => {
      expect(items(JSON.stringify(values, null, indent)).map((item) => JSON.parse(item))).toEqual(
        JSON.parse(JSON.stringify(values)),
      )
    }),
    { seed },
  )
})
