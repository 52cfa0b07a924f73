import { expect, test } from 'vitest'
import { assertNamed } from '../../../src/commands/confirm.ts'
import type { UndoCall } from '../../../src/commands/undo/index.ts'
import type { UndoResult } from '../../../src/commands/undo/result.ts'
import { exit as exitOf } from '../../../src/commands/undo/run.ts'

const at = (status: string, left: number | null = null) => ({ status, left }) as UndoResult['request']

test.each([
  ['look', null, { others: 0 }, 0],
  ['look', null, { others: 1 }, 3],
  ['request', at('pending'), {}, 0],
  ['request', null, { others: 1 }, 3],
  ['request', null, { events: 0 }, 0],
  ['status', at('sending'), {}, 5],
  ['status', at('a word of tomorrow'), {}, 5],
  ['status', at('completed', 0), {}, 0],
  ['status', at('completed', 2), {}, 3],
  ['status', at('failed'), {}, 3],
  ['status', at('gone'), {}, 3],
] as const)('%s with %j and %j ends with %i', (act, request, more, exit) => {
  const result = { events: 5, others: 0, request, ...more } as UndoResult
  const values = { request: act === 'request', status: act === 'status' }
  expect(exitOf(result, { values } as unknown as UndoCall)).toBe(exit)
})

test.each(['shop', 'Other'])('the name %j is not that of the project Shop', (given) => {
  expect(() => assertNamed('Shop', 'Shop', 'nothing was asked')).not.toThrow()
  expect(() => assertNamed(given, 'Shop', 'nothing was asked')).toThrow(
    expect.objectContaining({ code: 'usage', message: `the project is not "${given}"; nothing was asked` }),
  )
})
