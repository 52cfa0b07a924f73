import { expect, onTestFinished, test } from 'vitest'
import { assertTrialProject } from '../../../src/commands/import/trial.ts'
import { DatasetSource } from '../../../src/delivery/dataset-source.ts'
import { guardedRun } from '../../../src/guards/guards.ts'
import type { KnownProject } from '../../../src/imports/import-guards.ts'
import { writeManifest } from '../../../src/store/dataset.ts'
import { LocalStore } from '../../../src/store/local.ts'
import { apiAt } from '../../helpers/api.ts'
import { writeDataset } from '../../helpers/dataset.ts'
import { makeEvent } from '../../helpers/events.ts'
import { testFolder } from '../../helpers/folder.ts'
import { oddServer } from '../../helpers/odd-server.ts'

const WHOLE = 2_000

/** A trial, and a project that counts so many events in all, of the whole, and of the trial. */
async function asked(counts: readonly number[], named = 'Trials') {
  const folder = testFolder()
  const store = new LocalStore(folder)
  const manifest = await writeDataset(folder, [{ file: '2024-01-01.ndjson', events: [makeEvent(1)] }])
  const trial = { by: 'people', most: 1, people: 1, whole_import_id: 'shop', whole_events: WHOLE } as const
  await writeManifest(store, { ...manifest, trial })
  const server = await oddServer(() => ({ body: { results: [counts], columns: [], types: [] } }))
  onTestFinished(() => server.close())
  const api = apiAt(server.url)
  const order = { place: { restart: false } as never, guards: { trial: named } as never }
  const source = await DatasetSource.open(store)
  const guards = guardedRun([], () => undefined, 'none of the events was sent')
  const ask: KnownProject['ask'] = (work) => work({ api, projectId: '7' })
  const failed = await assertTrialProject(
    order,
    source,
    { settings: api.settings, id: '7', name: 'Trials', ask },
    undefined,
    guards,
  ).then(
    () => undefined,
    ({ code, message }) => ({ code, message }),
  )
  return { failed, requests: server.asked.length }
}

test.each([
  ['an empty one', [0], 1],
  ['one with as many events of others as may be', [100_010, 0, 10], 2],
  ['one that has the trial already', [30, 0, 30], 2],
])('a project takes a trial: %s', async (_, counts, requests) => {
  expect(await asked(counts)).toEqual({ failed: undefined, requests })
})

test.each([
  ['one event of others too many', [100_011, 0, 10], 2, 'the project Trials holds 100,001 events of others'],
  ['events of the whole', [12, 1, 11], 2, 'the project Trials holds 1 event of the whole'],
  ['so many that nobody looks into them', [100_001 + 2 * WHOLE], 1, 'holds 104,001 events of others'],
])('a project takes no trial: %s', async (_, counts, requests, says) => {
  const told = { code: 'found', message: expect.stringContaining(says) }
  expect(await asked(counts)).toEqual({ failed: told, requests })
})

test('a project of another name than was given takes no trial', async () => {
  const told = { code: 'usage', message: 'the project is not "Shop"; nothing was sent' }
  expect((await asked([0], 'Shop')).failed).toEqual(told)
})
