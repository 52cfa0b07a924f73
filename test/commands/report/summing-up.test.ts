import { expect, test } from 'vitest'
import type { ReportData } from '../../../src/commands/report/report-data.ts'
import { figuresOf, verdictOf } from '../../../src/commands/report/summing-up.ts'

/** A dataset of 3,934 events, and an import of it that put 1,186 persons right. */
const parts = {
  datasets: [
    {
      kind: 'events',
      records: { read: 5_043, mapped: 3_934, rejected: 1_109, filtered: 0 },
      events: { made: 3_934, written: 3_934, rejected: 0, duplicate: 0, earlier: 0, generated: 0 },
    },
  ],
  imports: [{ counts: { delivered: 3_934, rejected: 0, filtered: 0 }, own: { events: 1_186 } }],
  proof: { equal: true, events: { here: 5_120, service: 5_120 } },
} as unknown as Pick<ReportData, 'datasets' | 'imports' | 'proof'>

const figure = (label: string, of: Parameters<typeof figuresOf>[0]) =>
  figuresOf(of).find((one) => one.label === label)

test('rejects of the transform are counted where no file of rejects is at hand, and so are refusals', () => {
  expect(figure('Rejected', parts)).toMatchObject({
    value: 1_109,
    meaning: '1,109 by transform; kept, each with its reason',
    level: 'warning',
  })
  const [one] = parts.imports!
  const imports = [{ ...one!, counts: { ...one!.counts, rejected: 3 } }]
  expect(figure('Rejected', { ...parts, imports })).toMatchObject({
    value: 1_112,
    meaning: '1,109 by transform, 3 in the import; kept, each with its reason',
  })
  expect(figure('Rejected', {})).toMatchObject({ value: 0, meaning: 'nothing was refused', level: 'good' })
})

test('rejects that became another dataset of the report count once', () => {
  const [first] = parts.datasets!
  const again = {
    ...first!,
    ofRejects: true,
    records: { read: 1_109, mapped: 1_100, rejected: 9, filtered: 0 },
    events: { ...first!.events!, made: 1_100, written: 1_100 },
  }
  const both = { datasets: [first!, again] }
  expect(figure('Records read', both)).toMatchObject({ value: 5_043 })
  expect(figure('Rejected', both)).toMatchObject({
    value: 9,
    meaning: '1,118 by transform, less 1,109 that were transformed again; kept, each with its reason',
  })
  // Without the dataset whose rejects they are, it is one like any other.
  expect(figure('Records read', { datasets: [again] })).toMatchObject({ value: 1_109 })
  expect(figure('Rejected', { datasets: [again] })).toMatchObject({ value: 9 })
})

test('what is proven is the sum of the events of the datasets and those of the import itself', () => {
  expect(figure('Events sent', parts)?.meaning).toBe(
    'events that PostHog acknowledged, besides 1,186 that the import made itself',
  )
  expect(figure('Events in PostHog', parts)).toMatchObject({
    value: 5_120,
    meaning:
      'of the 5,120 that should be there: 3,934 of the datasets, and 1,186 that the import made itself',
  })
  const proof = { ...parts.proof!, events: { ...parts.proof!.events, service: 1_205, unknown: 5 } }
  expect(figure('Events in PostHog', { proof })).toMatchObject({ value: 1_200 })
})

test('an import that is not finished says what is sent and what is left to send', () => {
  const unfinished = (delivered: number, pending?: number) => ({
    imports: [
      {
        ...parts.imports![0]!,
        state: 'unfinished' as const,
        counts: { delivered, rejected: 0, filtered: 0 },
        pending,
      },
    ],
  })
  expect(verdictOf(unfinished(1, 3_933))).toEqual({
    level: 'warning',
    title: 'The import is not finished: 1 event is sent so far.',
    text: '3,933 events are left to send.',
  })
  expect(verdictOf(unfinished(7))).not.toHaveProperty('text')
})

test('an import that is being taken back comes before the proof of what was there', () => {
  const imports = [{ state: 'being taken back', undo: 'request 7: pending.' }] as never
  const proof = { equal: true, events: { here: 3, service: 3 } } as never
  expect(verdictOf({ imports, proof })).toEqual({
    level: 'warning',
    title: 'An import is being taken back.',
    text: 'request 7: pending.',
  })
})
