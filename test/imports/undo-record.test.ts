import { expect, test } from 'vitest'
import { isOver, keepRequest, readRequests, type UndoRequest } from '../../src/imports/undo-record.ts'
import { MemoryCell } from '../helpers/memory-cell.ts'

const REQUEST: UndoRequest = {
  submission_id: '00000000-0000-4000-8000-000000000001',
  key: 'sha256:1',
  project_id: '1',
  import_ids: ['a'],
  first: '2024-03-01',
  last: '2024-03-02',
  query: 'SELECT uuid FROM events',
  id: null,
  status: 'sending',
  filed_at: '2026-01-01T00:00:00.000Z',
  left: null,
}
const FILED: UndoRequest = { ...REQUEST, id: '7', status: 'pending' }
const id = REQUEST.submission_id

/** The record's files; the second one fails while a request is kept. */
function cells() {
  const [project, dataset] = [new MemoryCell(), new MemoryCell()]
  const keep = async (request: UndoRequest | undefined, failing?: MemoryCell) => {
    if (failing) failing.down = true
    const kept = keepRequest([project, dataset], id, request)
    await (failing ? expect(kept).rejects.toMatchObject({ code: 'unavailable' }) : kept)
    if (failing) failing.down = false
  }
  return { project, dataset, keep, read: () => readRequests([project, dataset]) }
}

test('a request whose second file fails keeps all imports away, and the next run goes on with it', async () => {
  const { project, dataset, keep, read } = cells()
  await keep(REQUEST, dataset)
  expect(await readRequests([project])).toEqual([REQUEST])
  expect(await read()).toEqual([REQUEST])
  await keep(FILED)
  expect([await readRequests([project]), await readRequests([dataset])]).toEqual([[FILED], [FILED]])
})

test.each([
  ['done', { ...FILED, status: 'completed', left: 0 }],
  ['failed', { ...FILED, status: 'failed' }],
  ['refused', undefined],
])('a request that is %s in one file only goes on keeping all imports away', async (_, over) => {
  const { project, keep, read } = cells()
  await keep(FILED)
  await keep(over, project)
  expect(await readRequests([project])).toEqual([FILED])
  expect(await read()).toEqual([FILED])
  await keep(over)
  expect((await read()).every(isOver)).toBe(true)
})

test('requests of others stay as they are', async () => {
  const { project, keep, read } = cells()
  const other = { ...FILED, submission_id: 'other' }
  await keepRequest([project], 'other', other)
  await keep(FILED)
  await keep(undefined)
  expect(await read()).toEqual([other])
})
