import { expect, test } from 'vitest'
import { Fingerprint } from '../../src/record/fingerprint.ts'
import { readArrival, writeArrival } from '../../src/store/arrival.ts'
import { cellOf, fingerprintOf } from '../../src/store/arrival-cell.ts'
import { LocalStore } from '../../src/store/local.ts'
import type { EventsManifest } from '../../src/store/manifest.ts'
import { ARRIVAL } from '../../src/store/name.ts'
import { listOf } from '../helpers/audit.ts'
import { testFolder } from '../helpers/folder.ts'

const header = { version: 1 as const, rules: 'mixpanel 1.1', import_ids: ['a'] }

function cells() {
  const fingerprint = new Fingerprint()
  fingerprint.addTexts('018cc251-f400-7abc-8def-0123456789ab', 'u1', '$pageview', 1)
  return [
    cellOf('2024-03-01', '$pageview', fingerprint),
    { day: '2024-03-02', event: null, names: 10_000, count: 1, ...fingerprint.text },
  ]
}

async function cellsOf(store: LocalStore, manifest: EventsManifest) {
  return (await listOf(readArrival(store, manifest))).flat()
}

async function written() {
  const store = new LocalStore(testFolder())
  const arrival = await writeArrival(store, header, cells())
  return { store, manifest: { arrival } as EventsManifest }
}

test('comes back as it was written', async () => {
  const { store, manifest } = await written()
  const read = await cellsOf(store, manifest)
  expect(read).toEqual(cells())
  expect(fingerprintOf(read[0]!).text).toEqual({ xor: read[0]!.xor, sum: read[0]!.sum })
  expect(manifest.arrival.lines).toBe(3)
})

test('is refused when a byte of it is another', async () => {
  const { store, manifest } = await written()
  const { bytes } = (await store.load(ARRIVAL))!
  const edited = Buffer.from(bytes).toString().replace('"count":1', '"count":2')
  await store.put(ARRIVAL, Buffer.from(edited))
  await expect(cellsOf(store, manifest)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('its sha256 is another'),
  })
  await store.put(ARRIVAL, Buffer.from(edited.replace('"count"', '"cnt"')))
  await expect(cellsOf(store, manifest)).rejects.toMatchObject({
    message: expect.stringContaining("line 2 can't be read"),
  })
})
