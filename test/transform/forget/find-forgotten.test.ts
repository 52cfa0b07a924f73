import { expect, test } from 'vitest'
import { everyIdOf } from '../../../src/transform/forget/find-forgotten.ts'
import { digestOf, IdSet } from '../../../src/transform/forget/id-set.ts'
import { LinkWriter, readLinks } from '../../../src/transform/forget/witness.ts'
import { testFolder } from '../../helpers/folder.ts'

const SALT = 'salt'

/** Links as `from > to`, firm ones as `from = to`, each later than the one before it unless it has a time: `a > b @ 3`. */
function forgottenOf(listed: readonly string[], links: readonly string[], ids: readonly string[]): string[] {
  const folder = testFolder()
  const writer = new LinkWriter(folder, 'links', SALT)
  links.forEach((text, index) => {
    const [from, sign, to, , time] = text.split(' ')
    writer.write({ from: from!, to: to!, firm: sign === '=' }, Number(time ?? index), index)
  })
  writer.close()
  const set = new IdSet()
  for (const id of listed) set.add(digestOf(SALT, id))
  const all = everyIdOf(set, () => readLinks(folder, 'links'))
  return ids.filter((id) => all.has(digestOf(SALT, id)))
}

test.each([
  ['a user takes her devices along', ['u'], ['d1 > u', 'd2 > u', 'd3 > v'], 'u d1 d2'],
  ['a device names its user, and her other devices', ['d1'], ['d1 > u', 'd2 > u', 'd3 > v'], 'u d1 d2'],
  ['aliases hold both ways, in chains', ['a3'], ['a1 = u', 'a2 = a1', 'a3 = a2', 'd1 > u'], 'u d1 a1 a2 a3'],
  ['a shared device goes, its first user stays', ['v'], ['d1 > u', 'd1 > v', 'd2 > u'], 'v d1'],
  ['a shared device goes, its later user stays', ['u'], ['d1 > u', 'd1 > v', 'd2 > v'], 'u d1'],
  [
    'a shared device in the list names its first user',
    ['d1'],
    ['d1 > v @ 5', 'd1 > u @ 2', 'd2 > v'],
    'u d1',
  ],
  ['nobody else', ['x'], ['d1 > u', 'a1 = u'], ''],
])('%s', (_, listed, links, expected) => {
  const ids = ['u', 'v', 'd1', 'd2', 'd3', 'a1', 'a2', 'a3']
  expect(forgottenOf(listed, links, ids).join(' ')).toBe(expected)
})

test('a set of many ids holds these and no others, in 64 bytes an id at most', () => {
  const set = new IdSet()
  for (let i = 0; i < 5_000; i++) expect(set.add(digestOf(SALT, `id-${i}`))).toBe(true)
  expect(set.add(digestOf(SALT, 'id-7'))).toBe(false)
  expect(set.size).toBe(5_000)
  for (let i = 0; i < 5_000; i++) if (!set.has(digestOf(SALT, `id-${i}`))) throw new Error(`id-${i} is lost`)
  expect(set.has(digestOf(SALT, 'id-5000'))).toBe(false)
  expect(set.has(digestOf('other', 'id-7'))).toBe(false)
  expect(set.cells.byteLength).toBeLessThanOrEqual(5_000 * 64)
})
