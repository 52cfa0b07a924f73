import { expect, test } from 'vitest'
import { importIdsOf } from '../../src/record/notes.ts'
import { makeEvent } from '../helpers/events.ts'
import { mapperForFiles } from '../helpers/mapper.ts'

/** The ids by which `verify` finds the events of records with these properties. */
function idsOf(records: readonly Record<string, unknown>[], set: Record<string, string> = {}) {
  const properties = { rename: {}, drop: [], set }
  const mapper = mapperForFiles({ importId: 'ours' }, { properties })
  for (const [n, own] of records.entries()) {
    const line = Buffer.from(JSON.stringify({ ...makeEvent(n), properties: own }))
    expect(mapper.map(line, 0, line.length).status).toBe('event')
  }
  return importIdsOf('ours', mapper.takeNotes())
}

test('an id that the mapping file sets is the one that events carry', () => {
  expect(idsOf([{}, { $import_job_id: 'own' }], { $import_job_id: '"fixed"' })).toEqual(['fixed', 'ours'])
  expect(idsOf([{}], { $import_job_id: '5' })).toBeNull()
})

test('ids of records are told apart as far as a query can', () => {
  expect(idsOf([{}, { $import_job_id: "a b'c/😀" }])).toEqual(["a b'c/😀", 'ours'])
  for (const own of ['', 'a"b', 'a\\b', 'a\nb', 'a\0b', '\u2028', 5, true, {}, null])
    expect([own, idsOf([{ $import_job_id: own }])]).toEqual([own, null])
})
