import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compareSent, keepSent, readSent } from '../../src/delivery/sent-record.ts'
import { readEventsManifest } from '../../src/store/dataset.ts'
import { LocalStore } from '../../src/store/local.ts'
import { writeDataset } from '../helpers/dataset.ts'
import { testFolder } from '../helpers/folder.ts'
import { MemoryStore } from '../helpers/memory-store.ts'

/** Days of these names: an event each, in which `n` is what changes when it is made anew. */
const daysOf = (names: readonly (readonly string[])[], n: number) =>
  names.map((all, at) => {
    const day = `2024-03-0${at + 1}`
    const events = all.map((event) => ({
      uuid: `00000000-0000-4000-8000-0000000${at}${event.charCodeAt(0)}0`.padEnd(36, '0'),
      event,
      distinct_id: 'u1',
      timestamp: `${day}T01:00:00Z`,
      properties: { n },
    }))
    return { file: `${day}.ndjson`, events }
  })

test('names are compared day by day, also where a later day has an earlier name', async () => {
  const state = new MemoryStore()
  const made = async (n: number) => {
    const folder = join(testFolder(), 'events')
    await writeDataset(folder, daysOf([['Z'], ['A', 'Z'], ['B']], n))
    return new LocalStore(folder)
  }
  await keepSent(state, 'sent', await made(1), 'f'.repeat(64))
  const now = await made(2)
  const record = (await readSent(state, 'sent'))!
  const compared = await compareSent(record, { places: [], done: true }, now, await readEventsManifest(now))
  expect(compared).toMatchObject({ sent: 4, same: 0, alike: 4, twice: 0, places: [] })
})
