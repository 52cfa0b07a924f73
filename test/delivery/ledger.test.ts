import { expect, test } from 'vitest'
import { assertPeopleApart, sharedPeople } from '../../src/delivery/ledger.ts'
import { sharedWords } from '../../src/delivery/notices.ts'
import { IdSketch } from '../../src/record/sketches.ts'

const ENTRY = {
  import_id: 'x',
  delivered: 1,
  base: 0,
  carried: 0,
  claimed: 0,
  saved_at: '2024-03-01T00:00:00.000Z',
}

function sketchOf(ids: readonly string[]): string {
  const sketch = new IdSketch()
  for (const id of ids) sketch.add(id)
  return sketch.text
}

const sharing = (dataset: string, ids: readonly string[]) => ({ dataset, id_sketch: sketchOf(ids) })
const entry = (dataset: string, ids: readonly string[]) => {
  return { ...ENTRY, checkpoint: `/data/${dataset}.checkpoint.json`, sharing: sharing(dataset, ids) }
}

const OWN = '/data/mine.checkpoint.json'

test('an import of the same people is found, with how many they are', () => {
  const imports = [entry('2023', ['u1', 'u2', 'u3']), entry('2022', ['u8', 'u9'])]
  const found = sharedPeople({ imports }, sharing('2024', ['u2', 'u3', 'u4']), OWN)
  expect(found).toEqual([
    { dataset: '2023', checkpoint: '/data/2023.checkpoint.json', ids: 2, error: 0, proofs: 2 },
  ])
  expect(() => assertPeopleApart('2024', found)).toThrow(
    expect.objectContaining({
      code: 'found',
      lines: [expect.stringContaining('2 ids are also in 2023')],
      hint: expect.stringMatching(/--split-people N.*--any-order/),
    }),
  )
})

test('one id in common is no reason: many sources put the same word in the place of an id', () => {
  const imports = [entry('2023', ['u1', 'server'])]
  expect(sharedPeople({ imports }, sharing('2024', ['u2', 'server']), OWN)).toEqual([])
  expect(() => assertPeopleApart('2024', [])).not.toThrow()
})

test('other people, an import that is at its end, and this one from before are no reason', () => {
  const ids = ['u1', 'u2', 'u3']
  const { sharing: _, ...ended } = entry('2023', ids)
  const imports = [entry('2022', ['u7', 'u8', 'u9']), ended, { ...entry('mine', ids), checkpoint: OWN }]
  expect(sharedPeople({ imports }, sharing('mine', ids), OWN)).toEqual([])
})

test('an estimate says how far it may be off', () => {
  const one = { dataset: 'b/', checkpoint: '/b.checkpoint.json', proofs: 40 }
  expect(sharedWords({ ...one, ids: 12_300, error: 1_700 })).toBe(
    'about 12,300 ids (give or take 1,700) are also in b/, whose import is not at its end (/b.checkpoint.json)',
  )
})
