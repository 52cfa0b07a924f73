import { expect, test } from 'vitest'
import { RunState } from '../../../src/commands/run/run-state.ts'
import { MemoryCell } from '../../helpers/memory-cell.ts'

test('what was saved is there for the next run', async () => {
  const cell = new MemoryCell()
  const state = await RunState.open(cell)
  const window = { name: 'w', own: { start: 0, end: 1 }, fetch: { start: 0, end: 1 } }
  await state.begin(window)
  await state.begin(window)
  await state.resend('w')
  const done = { prints: { settings: 's' }, finished: true, exit: 3, output: 'o' }
  await state.record('w', 'transform', done)
  await state.record('w', 'import', { ...done, finished: false })
  // Its store was moved.
  const next = await RunState.open(Object.assign(cell, { address: 'moved' }))
  expect([next.mark, (await RunState.open(new MemoryCell())).mark]).toEqual([state.mark, state.mark])
  expect((await RunState.open(Object.assign(new MemoryCell(), { address: 'moved' }))).mark).not.toBe(
    state.mark,
  )
  expect(next.windows).toEqual([{ ...window, done: false }])
  expect(next.done('w', 'transform')).toEqual({ ...done, serial: 1 })
  expect(next.done('w', 'verify')).toBeUndefined()
  expect(next.isToResend('w')).toBe(true)
  await next.record('w', 'import', done)
  await next.end('w')
  const last = await RunState.open(cell)
  expect([last.isToResend('w'), last.windows[0]?.done, last.serial]).toEqual([false, true, 3])
})

test('of two runs that write, the second is refused', async () => {
  const cell = new MemoryCell()
  const [one, other] = [await RunState.open(cell), await RunState.open(cell)]
  await one.resend('w')
  await expect(other.resend('w')).rejects.toMatchObject({ code: 'mismatch' })
})

test('the sum of a file is known for as long as the file is the same one', async () => {
  const cell = new MemoryCell()
  const state = await RunState.open(cell)
  state.knowFile('raw/a.ndjson', 'one', 'sum of one')
  await state.resend('w')
  const next = await RunState.open(cell)
  const known = (path: string, stamp: string) => next.knownFile(path, stamp)
  expect(known('raw/a.ndjson', 'one')).toBe('sum of one')
  expect([known('raw/a.ndjson', 'other'), known('raw/b.ndjson', 'one'), known('__proto__', 'one')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
