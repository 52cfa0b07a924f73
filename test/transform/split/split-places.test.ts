import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../../src/store/open.ts'
import { assertReplaceable } from '../../../src/transform/output-apart.ts'
import { assertSplitReplaceable, splitPlaces, splitWords } from '../../../src/transform/split/split-places.ts'
import { writeDataset } from '../../helpers/dataset.ts'
import { testFolder } from '../../helpers/folder.ts'

test('places stand in the folder or the prefix, an endpoint at their end', () => {
  expect(splitPlaces({ datasets: 2, out: 'out' })).toEqual(['out/people-01/', 'out/people-02/'])
  expect(splitPlaces({ datasets: 32, out: '/a b//' }).at(-1)).toBe('/a b/people-32/')
  expect(splitPlaces({ datasets: 1, out: 's3://bucket/x/?endpoint=http://127.0.0.1:9000' })).toEqual([
    's3://bucket/x/people-01/?endpoint=http://127.0.0.1:9000',
  ])
})

test('a manifest says which of how many it is', () => {
  expect(splitWords(1, 3)).toEqual({ split_people: '2 of 3' })
})

const SOURCE = { kind: 'events', preset: 'posthog', inputs: 'raw.ndjson' }

describe('what a division replaces', () => {
  const assertFree = (out: string, datasets: number, { begun = false, source = SOURCE } = {}) =>
    assertSplitReplaceable({ datasets, out, gzip: false }, { source, begun, rules: undefined })

  /** The datasets of a division, as an earlier run left them. */
  async function divided(datasets: number): Promise<string> {
    const out = testFolder()
    for (const [index, place] of splitPlaces({ datasets, out }).entries()) {
      const manifest = await writeDataset(place, [])
      const source = { ...SOURCE, ...splitWords(index, datasets) }
      writeFileSync(join(place, 'manifest.json'), JSON.stringify({ ...manifest, source }))
    }
    return out
  }

  test('an empty place, and a folder that is not there', async () => {
    const out = testFolder()
    await assertFree(out, 2)
    await assertFree(join(out, 'new'), 2)
    expect(existsSync(join(out, 'new'))).toBe(false)
  })

  test('the same number of datasets of the same source', async () => {
    await assertFree(await divided(2), 2)
  })

  test('no other number, more or fewer', async () => {
    const message = 'another number of datasets'
    await expect(assertFree(await divided(3), 2)).rejects.toMatchObject({ code: 'usage' })
    await expect(assertFree(await divided(3), 2)).rejects.toThrow(`${message} (03)`)
    await expect(assertFree(await divided(2), 3)).rejects.toThrow(`${message} (1 of 2)`)
  })

  test('no other source', async () => {
    const source = { ...SOURCE, preset: 'mixpanel' }
    await expect(assertFree(await divided(2), 2, { source })).rejects.toThrow('it would be replaced')
  })

  test('a dataset of a division is not replaced by the whole, nor the whole by one', async () => {
    const [first, second] = splitPlaces({ datasets: 2, out: await divided(2) })
    const whole = assertReplaceable(await openStore(first!), first!, { source: SOURCE, begun: true })
    await expect(whole).rejects.toThrow('dataset 1 of 2 of a division by people: it would be replaced')
    const manifest = await writeDataset(second!, [])
    writeFileSync(join(second!, 'manifest.json'), JSON.stringify({ ...manifest, source: SOURCE }))
    const message = 'people-02/ holds a dataset that is not divided by people: it would be replaced'
    await expect(assertFree(dirname(second!), 2)).rejects.toThrow(message)
  })

  test('no dataset that is not divided', async () => {
    const out = testFolder()
    await writeDataset(out, [])
    await expect(assertFree(out, 2, { begun: true })).rejects.toThrow(
      'a dataset that is not divided by people',
    )
  })

  test('no files of a user; what a transform began goes on', async () => {
    const out = testFolder()
    writeFileSync(join(out, 'letter.txt'), 'mine')
    await expect(assertFree(out, 2)).rejects.toThrow('is not empty')
    mkdirSync(join(out, 'people-01'))
    writeFileSync(join(out, 'people-01', '2024-01-01.ndjson'), '')
    await assertFree(out, 2, { begun: true })
  })
})
