import { describe, expect, test } from 'vitest'
import { FaultDice } from '../../../src/sandbox/faults/dice.ts'
import { FAULT_HELP, parseFault, type Route } from '../../../src/sandbox/faults/fault.ts'

test.each([
  ['429:0.1', { kind: 'status', status: 429, rate: 0.1 }],
  ['503', { kind: 'status', status: 503, rate: 1 }],
  ['429:0.5,retry-after=2,times=3', { kind: 'status', status: 429, rate: 0.5, retryAfter: '2', times: 3 }],
  ['quota:after=5000', { kind: 'quota', rate: 1, after: 5000 }],
  ['quota-said', { kind: 'quota-said', rate: 1 }],
  ['413:events=200,bytes=1000', { kind: 'too-large', rate: 1, events: 200, bytes: 1000 }],
  ['slow:0.02,ms=50', { kind: 'slow', rate: 0.02, ms: 50 }],
  ['500:rate=0.2,on=api', { kind: 'status', status: 500, rate: 0.2, on: 'api' }],
  ['lost', { kind: 'lost', rate: 1 }],
  ['partial:on=download', { kind: 'partial', rate: 1, on: 'download' }],
  ['download-expired:of=file', { kind: 'download-expired', rate: 1, of: 'file' }],
])('%s', (spec, fault) => {
  expect(parseFault(spec)).toEqual(fault)
})

test.each([
  ...['', 'toast', '418', '429:2', '429:-1', '429:x', '429:after=', 'lost:on=moon', 'lost:when=now'],
  // What would never strike, or as something else.
  ...['quota:on=api', 'partial:on=deletion', '413:on=deletion', 'slow:on=download', 'billing:on=download'],
  ...['v1-drop:on=batch', 'too-many-downloads:on=api', 'download-expired:on=download'],
])('makes no sense: %s', (spec) => {
  expect(() => parseFault(spec)).toThrow(expect.objectContaining({ name: 'PosthaulError', code: 'usage' }))
})

test('the help fits a terminal', () => {
  for (const line of FAULT_HELP.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})

describe('dice', () => {
  const throws = (faults: string[], seed: number, count = 1000) => {
    const dice = new FaultDice(faults, seed)
    return Array.from({ length: count }, () => dice.strike('batch', 0)?.kind)
  }

  test('fall alike for the same seed, and otherwise for another', () => {
    expect(throws(['reset:0.1'], 7)).toEqual(throws(['reset:0.1'], 7))
    expect(throws(['reset:0.1'], 7)).not.toEqual(throws(['reset:0.1'], 8))
  })

  test('keep to the rate', () => {
    const struck = throws(['reset:0.1'], 1, 10_000).filter(Boolean).length
    expect(struck).toBeGreaterThan(900)
    expect(struck).toBeLessThan(1100)
    expect(throws(['reset:0'], 1).every((kind) => kind === undefined)).toBe(true)
    expect(throws(['reset:1'], 1).every((kind) => kind === 'reset')).toBe(true)
  })

  test('leave the luck of one fault alone when another one comes', () => {
    const alone = throws(['reset:0.1'], 3)
    expect(throws(['reset:0.1', 'lost:0.5'], 3).map((kind) => (kind === 'reset' ? kind : undefined))).toEqual(
      alone,
    )
  })

  test('keep to after, times and on', () => {
    const dice = new FaultDice(['lost:after=10,times=2', 'reset:on=api'], 1)
    const at = (stored: number, on: Route = 'batch') => dice.strike(on, stored)?.kind
    expect([at(9), at(10), at(11), at(12)]).toEqual([undefined, 'lost', 'lost', undefined])
    expect([at(0, 'api'), at(0)]).toEqual(['reset', undefined])
  })
})
