import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteWriter } from '../../src/record/byte-writer.ts'
import { cleanId, Id } from '../../src/record/id.ts'
import { isNobody, isNobodyId } from '../../src/record/nobody.ts'
import { cleanDistinctId } from '../../src/record/rules.ts'
import { idOf } from '../helpers/ids.ts'
import { seedOf } from '../helpers/random.ts'

const seed = seedOf('ids')
const PREFIX = Buffer.from('$device:')

/** Ids as vendors write them, words that stand for nobody, and texts that no plain id is. */
const texts = fc.oneof(
  fc.uuid(),
  fc.constantFrom(
    'user-1',
    '$device:u1',
    '$device:',
    'null',
    'NaN',
    '[object Object]',
    ' u',
    'u ',
    '',
    'u\0v',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ minLength: 198, maxLength: 203 }),
)

test('an id in its bytes is told like its text', () => {
  fc.assert(
    fc.property(texts, texts, (text, other) => {
      const id = idOf(text)
      expect(id.text).toBe(text)
      expect(written(id)).toBe(JSON.stringify(text))
      const clean = cleanId(id)
      expect(clean instanceof Id ? clean.text : clean).toEqual(cleanDistinctId(text))
      expect(isNobodyId(id)).toBe(isNobody(text))
      const bare = id.without(PREFIX)
      expect(bare.text).toBe(text.startsWith('$device:') ? text.slice(8) : text)
      expect(written(bare)).toBe(JSON.stringify(bare.text))
      for (const [one, two] of [
        [id, idOf(other)],
        [id, Id.ofText(other)],
        [Id.ofText(text), id],
        [bare, idOf('u1')],
      ] as const)
        expect(one.equals(two)).toBe(one.text === two.text)
    }),
    { seed, numRuns: 2000 },
  )
})

function written(id: Id): string {
  const writer = new ByteWriter(8)
  id.write(writer)
  return writer.bytes.toString('utf8', 0, writer.length)
}
