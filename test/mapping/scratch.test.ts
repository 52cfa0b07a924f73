import { expect, test } from 'vitest'
import { Scratch } from '../../src/mapping/scratch.ts'
import { ByteWriter } from '../../src/record/byte-writer.ts'
import { keyOf } from '../../src/record/keys.ts'
import { Members } from '../../src/record/members.ts'

const last = ({ bytes, start, end }: Scratch) => bytes.toString('utf8', start, end)

test('each value is written as JSON', () => {
  const scratch = new Scratch()
  scratch.json('{"ü":"😀"}')
  expect(last(scratch)).toBe('{"ü":"😀"}')
  expect(scratch.plainText('plain')).toBe(true)
  expect(last(scratch)).toBe('"plain"')
  scratch.quoted(Buffer.from('as it is'), 3, 8)
  expect(last(scratch)).toBe('"it is"')
})

test.each(['ü', 'a"b', 'a\\b', 'a\nb'])('%j is not plain, and nothing is written of it', (text) => {
  const scratch = new Scratch()
  scratch.json('1')
  expect(scratch.plainText(text)).toBe(false)
  scratch.json('2')
  expect(scratch.bytes.toString('utf8', 0, scratch.end)).toBe('12')
})

test('values that members point at stay as they were when more is written than there was room for', () => {
  const scratch = new Scratch()
  const members = new Members()
  const expected: Record<string, string> = {}
  const put = (write: (text: string) => void, kind: string) => {
    for (let n = 0; n < 60; n++) {
      const text = `${kind} ${n} ${'x'.repeat(n * 20)}`
      write(text)
      scratch.putInto(members, keyOf(`${kind}${n}`))
      expected[`${kind}${n}`] = text
    }
  }
  put((text) => scratch.json(JSON.stringify(text)), 'json')
  put((text) => scratch.plainText(text), 'text')
  put((text) => scratch.quoted(Buffer.from(text), 0, text.length), 'quoted')
  const writer = new ByteWriter()
  members.writeObject(writer)
  expect(JSON.parse(writer.bytes.toString('utf8', 0, writer.length))).toEqual(expected)
})

test('what was cleared is written over, from the start', () => {
  const scratch = new Scratch()
  scratch.json('"of the event before"')
  scratch.clear()
  scratch.json('1')
  expect(scratch.bytes.toString('utf8', 0, scratch.end)).toBe('1')
})
