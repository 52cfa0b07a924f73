import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { lookAtEarlier } from '../../../src/transform/after/earlier.ts'
import type { LookAtRules, RulesMade } from '../../../src/transform/rules-made.ts'
import { writeDataset } from '../../helpers/dataset.ts'
import { makeEvent } from '../../helpers/events.ts'
import { testFolder } from '../../helpers/folder.ts'

const PART = '2024-01-01.ndjson'
let earlier: string
let alike: Parameters<typeof lookAtEarlier>[1]

beforeEach(async () => {
  earlier = testFolder()
  const { rules, source } = await writeDataset(earlier, [{ file: PART, events: [makeEvent(1)] }])
  const manifest = join(earlier, 'manifest.json')
  const text = JSON.parse(readFileSync(manifest, 'utf8'))
  writeFileSync(
    manifest,
    JSON.stringify({ ...text, source: { ...source, hash_key: 'aa', mapping_sha256: 'm' } }),
  )
  alike = { rules: rules!, guard: undefined, hashKey: 'aa', mapping: 'm', out: join(testFolder(), 'out') }
})

test('each dataset of an earlier window counts once', async () => {
  const found = await lookAtEarlier([earlier, earlier], alike)
  expect(found.map(({ location, parts }) => [location, parts.length])).toEqual([[earlier, 1]])
})

test('one that lacks a part, or has another in its place, is refused: its events would be made again', async () => {
  writeFileSync(join(earlier, PART), 'cut')
  await expect(lookAtEarlier([earlier], alike)).rejects.toMatchObject({ code: 'input' })
  rmSync(join(earlier, PART))
  await expect(lookAtEarlier([earlier], alike)).rejects.toMatchObject({ code: 'input' })
})

test('which rules made it, and which would now, is for the guard to judge', async () => {
  const seen: (RulesMade | undefined)[] = []
  const guard: LookAtRules = ({ rules }) => seen.push(rules)
  const other = { ...alike, rules: `${alike.rules}1`, guard }
  expect(await lookAtEarlier([earlier], other)).toHaveLength(1)
  const what = `the events in ${earlier}`
  expect(seen).toEqual([{ what, before: alike.rules, now: other.rules, count: 1 }])
})

test('that another mapping file made it is told', async () => {
  const seen: unknown[] = []
  const guard: LookAtRules = ({ othersMap }) => othersMap && seen.push(othersMap)
  await lookAtEarlier([earlier], { ...alike, guard })
  for (const mapping of [undefined, 'other']) await lookAtEarlier([earlier], { ...alike, guard, mapping })
  expect(seen).toEqual([[earlier], [earlier]])
})

test('one whose ids are hashed with another key is refused', async () => {
  await expect(lookAtEarlier([earlier], { ...alike, hashKey: 'bb' })).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('was made with another POSTHAUL_HASH_KEY'),
  })
})

test('the place where the events go is no earlier dataset', async () => {
  await expect(lookAtEarlier([earlier], { ...alike, out: `${earlier}/` })).rejects.toMatchObject({
    code: 'usage',
  })
})
