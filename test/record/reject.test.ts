import { expect, test } from 'vitest'
import { formatReject, lineOf, parseReject, recordOf } from '../../src/record/reject.ts'

const reject = {
  line: 7,
  offset: 1234,
  reason: 'bad_json',
  message: 'ends too early',
  record: '{"a":"\u2028é',
}

function parse(text: string) {
  const bytes = Buffer.from(`xx${text}yy`)
  return parseReject(bytes, 2, bytes.length - 2)
}

test('a reject is read as it was written', () => {
  const line = formatReject(reject)
  expect(line).toBe(`${JSON.stringify(reject)}\n`)
  expect(parse(line.trimEnd())).toEqual(reject)
})

test('names its file when there are several', () => {
  expect(parse(formatReject({ ...reject, file: 'a.csv' }).trimEnd())).toEqual({ ...reject, file: 'a.csv' })
})

test("a line that isn't UTF-8 keeps its bytes, and comes back as it was until its text is mended", () => {
  const line = Buffer.from('xx{"a":"é"}yy', 'latin1').subarray(2, -2)
  const kept = recordOf(line)
  const read = parse(formatReject({ ...reject, ...kept }).trimEnd())!
  expect(lineOf(read)).toEqual(line)
  const mended = '{"a":"é"}'
  expect(lineOf({ ...read, record: mended })).toEqual(Buffer.from(mended))
  expect(recordOf(Buffer.from(mended))).toEqual({ record: mended })
})

test('a record that was too long to be held is null', () => {
  expect(parse(formatReject({ ...reject, record: null }).trimEnd())).toEqual({ ...reject, record: null })
})

test.each([
  ['as an object', `{"line":7,"offset":1,"reason":"r","message":"m","record":{"id": 12345678901234567890}}`],
  [
    'by a tool that spreads it',
    `{  "line": 7,  "offset": 1, "reason":"r","message":"m","record":  {"id": 12345678901234567890} }`,
  ],
])('a record that was mended %s keeps its digits', (_, text) => {
  expect(parse(text)).toEqual({
    line: 7,
    offset: 1,
    reason: 'r',
    message: 'm',
    record: '{"id": 12345678901234567890}',
  })
})

test.each([
  ['a list', '{"line":1,"offset":2,"reason":"r","message":"m"}'],
  ['an event', '{"event":"a","properties":{"line":1}}'],
  ['a property called line', '{"line":1,"event":"a"}'],
  ['a cut reject', '{"line":1,"offset":2,"reason":"bad_json","mess'],
  ['nothing', ''],
  ['only the beginning', '{"line":'],
])('%s is none', (_, text) => {
  expect(parse(text)).toBeUndefined()
})
