import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { expect, test } from 'vitest'
import { listInputs } from '../../src/inputs/list.ts'
import { recogniseFormat } from '../../src/inputs/probe.ts'
import { testFolder } from '../helpers/folder.ts'

/** True if the engine holds one class for both objects, and not one for each. */
function haveOneClass(a: object, b: object): boolean {
  setFlagsFromString('--allow-natives-syntax')
  try {
    return new Function('a', 'b', 'return %HaveSameMap(a, b)')(a, b) as boolean
  } finally {
    setFlagsFromString('--no-allow-natives-syntax')
  }
}

test('inputs of one kind share what the engine knows of their members: 200,000 files take no 200,000 classes', async () => {
  const folder = testFolder()
  for (let n = 0; n < 100; n++)
    writeFileSync(join(folder, `${n}.ndjson`), '{"event":"Seen","properties":{}}\n')
  const inputs = await listInputs([folder])
  expect(inputs).toHaveLength(100)
  // The first few share theirs in any case.
  for (const [at, input] of inputs.slice(50).entries())
    expect(haveOneClass(input, inputs[49 + at]!)).toBe(true)
})

test('an input holds its name, not its path, and whoever copies it gets both', async () => {
  const folder = testFolder()
  for (const name of ['a.ndjson', 'b.ndjson']) writeFileSync(join(folder, name), '{}\n')
  const inputs = await listInputs([folder])
  for (const [at, name] of ['a.ndjson', 'b.ndjson'].entries()) {
    const input = inputs[at]!
    const path = join(folder, name)
    expect(Object.getOwnPropertyDescriptor(input, 'path')).not.toHaveProperty('value')
    expect(input.path).toBe(path)
    for (const copy of [{ ...input }, structuredClone(input), JSON.parse(JSON.stringify(input))]) {
      expect(copy).toMatchObject({ path, name })
      expect(Object.keys(copy)[0]).toBe('path')
    }
    // A copy that is called otherwise is still the same file.
    expect({ ...input, name: 'other' }.path).toBe(path)
  }
})

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
  ['{"events":[\n{"event":"a"},\n{"event":"b"}\n]}\n', 'x.json', json],
  ['{"users": [\n{\n  "localId": "u1"}]}', 'x.json', json],
  ['{"meta":{"n":2},\n"events":[{"event":"a"}]}\n', 'x.json', json],
  ['{"event":"a","tags":[\n{"event":"b"}\n{"event":"c"}\n', 'x.json', ndjson],
  ['{"event":"a",\n{"event":"b"}\n{"event":"c"}\n', 'x.json', ndjson],
  ['{"a":"}{"}', 'x.json', ndjson],
  ['{"a":"} {', 'x.json', ndjson],
  ['{"a":{"b":"}{"}}\n', 'x.json', ndjson],
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
  ["{'event': 'a', 'user': 'u'}\n{'event': 'a', 'user': 'v'}\n", 'x.txt', ndjson],
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

test('a stray NUL in a cell makes no other file of a table', () => {
  const csv = { format: 'csv' }
  expect(recogniseFormat(Buffer.from('a,b\nx,y\0z\n'), 'x.csv')).toMatchObject(csv)
  // Hive's own dividers are no sign of other data.
  expect(recogniseFormat(Buffer.from('a\x01b\x02c\x01d\n'.repeat(9)), 'x.csv')).toMatchObject(csv)
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
