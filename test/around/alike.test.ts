import { expect, test } from 'vitest'
import { mergeAlike, restOf } from '../../src/around/alike.ts'
import type { AroundRow } from '../../src/around/around-kinds.ts'

test('rows of one key become one, and what they say otherwise is kept', () => {
  const rows: AroundRow<'properties'>[] = [
    { of: 'event', name: 'plan', events: ['paid'], description: 'which one' },
    { of: 'event', name: 'plan', events: ['left'], description: 'the last one', type: 'text' },
    { of: 'event', name: 'plan', events: ['left', 'met'], description: 'which one', more: { regex: '.' } },
    { of: 'person', name: 'plan' },
  ]
  expect(mergeAlike('properties', rows)).toEqual([
    {
      of: 'event',
      name: 'plan',
      events: ['paid', 'left', 'met'],
      description: 'which one',
      type: 'text',
      more: { regex: '.', also: [{ events: ['left'], description: 'the last one' }] },
    },
    { of: 'person', name: 'plan' },
  ])
})

test('an annotation on several charts is one, whatever zone it is told in', () => {
  const rows: AroundRow<'annotations'>[] = [
    { at: '2026-01-01T12:00:00Z', text: 'out', tags: ['a'], more: { chart_id: 'x' } },
    { at: '2026-01-01T13:00:00+01:00', text: 'out', tags: ['b'], more: { chart_id: 'y' } },
  ]
  expect(mergeAlike('annotations', rows)).toEqual([
    {
      at: '2026-01-01T12:00:00Z',
      text: 'out',
      tags: ['a', 'b'],
      more: { chart_id: 'x', also: [{ at: '2026-01-01T13:00:00+01:00', more: { chart_id: 'y' } }] },
    },
  ])
})

test('what has no field is kept unless it says nothing', () => {
  expect(restOf({ id: 1, a: null, b: '', c: [], d: {}, e: false, f: 0 }, ['id'])).toEqual({ f: 0 })
  expect(restOf({ id: 1, a: null }, ['id'])).toBeUndefined()
})
