import { expect, test } from 'vitest'
import {
  beginRequest,
  isLost,
  isOver,
  keepRequest,
  readRequests,
  requestsFor,
  type UndoRequest,
} from '../../src/imports/undo-record.ts'
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
  // The project's file comes first: without it no import of another input would know.
  await keep(REQUEST, project)
  expect(await readRequests([dataset])).toEqual([])
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
  const { project, dataset, keep, read } = cells()
  await keep(FILED)
  for (const failing of [dataset, project]) {
    await keep(over, failing)
    expect(await readRequests([project])).toEqual([FILED])
    expect(await read()).toEqual([FILED])
  }
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

const second = { ...REQUEST, submission_id: '00000000-0000-4000-8000-000000000002' }

test('of two runs that ask at once both go on with one request', async () => {
  const { project, dataset, read } = cells()
  const begun = await Promise.all([REQUEST, second].map((one) => beginRequest([project, dataset], one)))
  expect(begun[0]).toEqual(begun[1])
  expect(await read()).toEqual([begun[0]])
  // Other days of the same import that touch these are asked for by the same request, other ids by one of their own.
  expect(await beginRequest([project], { ...second, first: '2024-03-02', last: '2024-03-09' })).toEqual(
    begun[0],
  )
  const other = { ...second, import_ids: ['b'] }
  expect(await beginRequest([project], other)).toBe(other)
})

test('of several requests each gets its turn: those at work before those that are over', async () => {
  const { project, dataset, keep } = cells()
  await keep({ ...FILED, status: 'completed', left: 0 })
  await keepRequest([project], second.submission_id, second)
  await keepRequest([project, dataset], 'third', { ...FILED, submission_id: 'third', status: 'failed' })
  const order = async () => (await requestsFor([project, dataset], REQUEST)).map((one) => one.submission_id)
  expect(await order()).toEqual([id, 'third', second.submission_id])
  expect(await beginRequest([project, dataset], { ...REQUEST, submission_id: 'x' })).toEqual(second)
  await keepRequest([project], second.submission_id, undefined)
  expect((await beginRequest([project, dataset], { ...REQUEST, submission_id: 'x' })).submission_id).toBe('x')
})

test.each([
  [REQUEST, 3_600_000, false],
  [REQUEST, 3_600_001, true],
  [FILED, 0, true],
])('%j that the service does not know is lost after %i ms: %s', (request, ms, lost) => {
  expect(isLost(request, Date.parse(request.filed_at) + ms)).toBe(lost)
})
