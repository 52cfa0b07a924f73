import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteWriter } from '../../src/record/byte-writer.ts'
import { CODE_POINT } from '../helpers/code-point.ts'
import { seedOf } from '../helpers/random.ts'

const seed = seedOf('writer')

test('holds what was written, however often it grew', () => {
  const text = fc.oneof(
    fc.string({ unit: CODE_POINT, maxLength: 50 }),
    fc.constantFrom('a"b', '\\', '\n', 'é', '\u007f', ''),
  )
  const step = fc.record({ how: fc.constantFrom('byte', 'copy', 'ascii', 'utf8', 'json'), text })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), fc.integer({ min: 1, max: 64 }), (steps, capacity) => {
      const writer = new ByteWriter(capacity)
      const expected: Buffer[] = []
      for (const { how, text } of steps) {
        const ascii = text.replace(/[^ -~]/gu, '?')
        if (how === 'byte') writer.byte(0x41)
        else if (how === 'copy') writer.copy(Buffer.from(`(${text})`), 1, Buffer.byteLength(text) + 1)
        else if (how === 'ascii') writer.ascii(ascii)
        else if (how === 'utf8') writer.utf8(text)
        else writer.json(text)
        const written = { byte: 'A', copy: text, ascii, utf8: text, json: JSON.stringify(text) }[how]!
        expected.push(Buffer.from(written))
      }
      // As text: toEqual looks at buffers byte by byte.
      expect(writer.bytes.toString('latin1', 0, writer.length)).toBe(
        Buffer.concat(expected).toString('latin1'),
      )
    }),
    { seed, numRuns: 1000 },
  )
})

test('starts over where it is told to', () => {
  const writer = new ByteWriter(4)
  writer.utf8('a long beginning')
  writer.length = 1
  writer.ascii('b')
  expect(writer.bytes.toString('utf8', 0, writer.length)).toBe('ab')
})
