import { expect, test } from 'vitest'
import type { ImportPart } from '../../../src/commands/report/report-data.ts'
import { figuresOf, verdictOf } from '../../../src/commands/report/summing-up.ts'
import type { EventsManifest } from '../../../src/store/manifest.ts'

/** A dataset of 3,934 events, and an import of it that put 1,186 persons right. */
const parts = {
  datasets: [
    {
      manifest: {
        kind: 'events',
        source: {},
        records: { read: 5_043, mapped: 3_934, rejected: 1_109, filtered: 0 },
        events: { made: 3_934, written: 3_934, rejected: 0, duplicate: 0, earlier: 0, generated: 0 },
      },
    },
  ],
  imports: [importOf({ delivered: 3_934, rejected: 0 }, 'done')],
  rejects: [],
  proof: { found: { equal: true, events: { here: 5_120, service: 5_120 } } },
} as unknown as Parameters<typeof figuresOf>[0]
const NOTHING = { datasets: [], imports: [], rejects: [] }

function importOf(counts: object, standing: string, more: object = {}) {
  return { standing, ...more, state: { counts, own: { events: 1_186 } } } as unknown as ImportPart
}

const figure = (label: string, of: Parameters<typeof figuresOf>[0]) =>
  figuresOf(of).find((one) => one.label === label)

test('rejects of the transform are counted where no file of rejects is at hand, and so are refusals', () => {
  expect(figure('Rejected', parts)).toMatchObject({
    value: 1_109,
    meaning: '1,109 by transform; kept, each with its reason',
    level: 'warning',
  })
  const imports = [importOf({ delivered: 3_934, rejected: 3 }, 'done')]
  expect(figure('Rejected', { ...parts, imports })).toMatchObject({
    value: 1_112,
    meaning: '1,109 by transform, 3 in the import; kept, each with its reason',
  })
  expect(figure('Rejected', NOTHING)).toMatchObject({
    value: 0,
    meaning: 'nothing was refused',
    level: 'good',
  })
})

test('rejects that became another dataset of the report count once', () => {
  const [first] = parts.datasets
  const manifest = {
    ...first!.manifest,
    source: { input_list: '["events/rejects.ndjson"]' },
    records: { read: 1_109, mapped: 1_100, rejected: 9, filtered: 0 },
  } as EventsManifest
  const again = { name: 'again', manifest }
  const both = { ...NOTHING, datasets: [first!, again] }
  expect(figure('Records read', both)).toMatchObject({ value: 5_043 })
  expect(figure('Rejected', both)).toMatchObject({
    value: 9,
    meaning: '1,118 by transform, less 1,109 that were transformed again; kept, each with its reason',
  })
  // Without the dataset whose rejects they are, it is one like any other.
  expect(figure('Records read', { ...NOTHING, datasets: [again] })).toMatchObject({ value: 1_109 })
  expect(figure('Rejected', { ...NOTHING, datasets: [again] })).toMatchObject({ value: 9 })
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
  const { found } = parts.proof!
  const proof = {
    ...parts.proof!,
    found: { ...found, events: { ...found.events, service: 1_205, unknown: 5 } },
  }
  expect(figure('Events in PostHog', { ...NOTHING, proof })).toMatchObject({ value: 1_200 })
})

test('an import that is not finished says what is sent and what is left to send', () => {
  const unfinished = (delivered: number, pending?: number) => ({
    ...NOTHING,
    imports: [importOf({ delivered }, 'unfinished', { pending })],
  })
  expect(verdictOf(unfinished(1, 3_933))).toEqual({
    level: 'warning',
    title: 'The import is not finished: 1 event is sent so far.',
    text: '3,933 events are left to send.',
  })
  expect(verdictOf(unfinished(7))).not.toHaveProperty('text')
})

test('an import that is being taken back comes before the proof of what was there', () => {
  const imports = [importOf({}, 'being taken back', { undo: 'request 7: pending.' })]
  expect(verdictOf({ ...parts, imports })).toEqual({
    level: 'warning',
    title: 'An import is being taken back.',
    text: 'request 7: pending.',
  })
})
