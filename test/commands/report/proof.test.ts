import { expect, test } from 'vitest'
import { proofPart } from '../../../src/commands/report/proof.ts'
import { keptOf, type Verified } from '../../../src/imports/verified.ts'

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
    differences: [{ day: '2024-01-01', event: null, here: 12, service: 5, missing: 7, unknown: 0, moved: 0 }],
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
  const example = '0190c5f2-0000-4000-8000-00000000000a'
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
  expect(proofPart(kept)).toMatchObject({
    causes: ['the project is over its quota of events (up to 7 events)'],
    warnings: [
      expect.stringContaining(`dropped, 2 sampled, such as ${example}: too large`),
      expect.stringContaining('dropped, 2 sampled: too large'),
    ],
    unasked: ['ingestion warnings: no key; add the scope'],
  })
})
