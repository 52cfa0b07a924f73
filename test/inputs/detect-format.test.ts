import { expect, test } from 'vitest'
import { recogniseFormat } from '../../src/inputs/detect-format.ts'

const ndjson = { format: 'ndjson', delimiter: undefined, rejects: false }
const json = { format: 'json', delimiter: undefined, rejects: false }
const table = (delimiter: string) => ({
  format: delimiter === '\t' ? 'tsv' : 'csv',
  delimiter,
  rejects: false,
})
const reject = '{"line":1,"offset":0,"reason":"bad_json","message":"m","record":"{"}'

test.each<[head: string, name: string, content: object]>([
  ['{"event":"a"}\n{"event":"b"}\n', 'x.ndjson', ndjson],
  ['{"event":"a"}\n', 'x.csv', ndjson],
  ['\uFEFF{"event":"a"}', 'x', ndjson],
  ['\n\n  { }\n', 'x', ndjson],
  ['[{"event":"a"}]', 'x.ndjson', json],
  ['[\n  {\n', 'x', json],
  ['[]', 'x.csv', json],
  ['[]\n{"event":"a"}\n', 'x', ndjson],
  ['\n[ ]\r\n\n{"event":"a"}\n', 'x.json', ndjson],
  ['[]\n[{"event":"a"}]\n', 'x', json],
  ['[', 'x', json],
  ['{\n  "event": "a"\n}\n', 'x.ndjson', json],
  ['', 'x', ndjson],
  [' \r\n', 'x.csv', ndjson],
  ['uuid,event\n1,2\n', 'x.csv', table(',')],
  ['uuid;event\n1;2\n', 'x.csv', table(';')],
  ['uuid|event\n1|2\n', 'x.csv', table('|')],
  ['uuid\tevent\n1\t2\n', 'x.csv', table('\t')],
  ['uuid\tevent\n1\t2\n', 'x.tsv.gz', table('\t')],
  ['"a,b","c"\n', 'x.csv', table(',')],
  ['"a;b;c",d\n', 'x.csv', table(',')],
  ['uuid\n1\n', 'x.csv', table(',')],
  ['uuid\n1\n', 'x.tsv', table('\t')],
  ['[Amplitude] City,x\n1,2\n', 'x.csv', table(',')],
  ['uuid,event\n1,2\n3,"4,\n5"\n', 'part-00000', table(',')],
  ['cut line"}\n{"event":"a"}\n', 'x.ndjson', ndjson],
  ['cut line"}\n{"event":"a"}\n', 'part-00000', ndjson],
  ['{event: 1}\n', 'x.jsonl.gz', ndjson],
  ['terminated early\n', 'x.ndjson', ndjson],
  [`${reject}\n`, 'x', { ...ndjson, rejects: true }],
  [`${reject.replaceAll(':', ': ').replaceAll(',', ', ')}\n`, 'x', { ...ndjson, rejects: true }],
  [`[${reject}]\n`, 'x', { ...json, rejects: true }],
  ['{"line":1,"event":"a"}\n', 'x', ndjson],
])('%j in %s', (head, name, content) => {
  expect(recogniseFormat(Buffer.from(head), name)).toEqual(content)
})

test.each([
  ['words, and more\nof them\n', 'readme.md'],
  ['one line\n', 'x'],
  ['a,b\n', 'x'],
  ['\0\0\0', 'x.ndjson'],
])('%j in %s is none of them', (head, name) => {
  expect(recogniseFormat(Buffer.from(head), name)).toMatchObject({
    what: expect.any(String),
    hint: expect.any(String),
  })
})
