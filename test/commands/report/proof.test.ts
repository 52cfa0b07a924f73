import { expect, test } from 'vitest'
import { Proof } from '../../../src/commands/report/proof.ts'
import { verdictOf } from '../../../src/commands/report/summing-up.ts'
import { keptOf, type Verified } from '../../../src/imports/verified.ts'

/** Verify keeps one difference a day where there are too many, so nothing is known of the names of that day. */
const VERIFIED: Verified = {
  tool: 'posthaul',
  asked_at: '2026-01-01T00:00:00.000Z',
  host: 'https://us.posthog.com',
  project: '1',
  inputs: [],
  found: {
    equal: false,
    days: 2,
    events: { here: 22, service: 15, others: 0, missing: 7, unknown: 0, doubled: 0 },
    differences: [{ day: '2024-01-01', event: null, here: 12, service: 5, missing: 7, unknown: 0 }],
    missing_file: null,
    values: null,
    persons: null,
    put_right: null,
    unasked: [],
    likely_causes: [],
    ingestion_warnings: null,
  },
}

test('why events may be missing is kept from a verify, in its words', () => {
  const example = { uuid: '0190c5f2-0000-4000-8000-00000000000a', file: 'events/2024-01-01.ndjson', line: 7 }
  const dropped = { type: 'message_size_too_large', severity: 'error', sampled: 2, example }
  const found = {
    ...VERIFIED.found,
    likely_causes: [{ cause: 'over_quota', events: 7 }],
    ingestion_warnings: {
      since: 'x',
      unasked: 'no key; add the scope',
      types: [dropped, { ...dropped, example: null }],
    },
  }
  const kept = keptOf({ ...VERIFIED, found })
  expect(new Proof(kept, [], 1).parts(0).proof).toMatchObject({
    causes: ['the project is over its quota of events (up to 7 events)'],
    warnings: [
      expect.stringContaining(
        `dropped, 2 sampled, such as ${example.uuid} (${example.file}, line 7): too large`,
      ),
      expect.stringContaining('dropped, 2 sampled: too large'),
    ],
    unasked: ['ingestion warnings: no key; add the scope'],
  })
})

test('a day that differs as a whole counts its events once in the squares and once in the chart', () => {
  const proof = new Proof(VERIFIED, ['a'], 1)
  for (const [day, name, count] of [
    ['2024-01-01', 'a', 8],
    ['2024-01-01', 'rare', 4],
    ['2024-01-02', 'a', 10],
  ] as const)
    proof.add(day, name, count)
  const { proof: part, there } = proof.parts(1)
  expect(part.cells.map(({ here }) => here)).toEqual([8, 4, 10])
  expect(part.states).toMatchObject({ unknown: 2, same: 1, fewer: 0 })
  expect(there.part({ place: 'service', unit: 'events', meaning: '' }).total).toBe(15)
  expect(verdictOf({ proof: part })?.text).toBe('7 events of these datasets are missing there.')
  expect(part.otherNames).toBe(1)
  // What PostHog has besides is of names that no dataset has: 0 other names would be a wrong number.
  expect(proof.parts(0).proof.otherNames).toBeUndefined()
})
