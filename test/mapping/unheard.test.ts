import { expect, test } from 'vitest'
import { unheardOf } from '../../src/mapping/idle-rules.ts'
import { loadPreset, PRESETS } from '../../src/presets/index.ts'

const one = { kept: 3 }

test('what only an undocumented rule met is named, with the records that had a value', async () => {
  const preset = await loadPreset('statsig')
  const members = {
    eventName: { 'used: event': 5 },
    user: { opened: 5 },
    'user.custom.plan': one,
    'metadata.price': one,
    shard_key: { kept: 4, 'person: $set.shard_key': 2, 'left out: empty': 9 },
    nothing: { 'left out: empty': 5 },
  }
  expect(unheardOf(preset, members)).toEqual({ shard_key: 4 })
})

test('members that a pattern names, and those of a preset that is sure, are not told', async () => {
  expect(
    unheardOf({ ...(await loadPreset('pendo')) }, { auto__1: one, auto: one, loadTime: one, odd: one }),
  ).toEqual({
    odd: 3,
  })
  expect(unheardOf(await loadPreset('mixpanel'), { 'properties.mine': one, odd: one })).toEqual({})
})

test('an undocumented rule is one of the preset', async () => {
  for (const { name } of PRESETS) {
    const { undocumented = {}, fields } = await loadPreset(name)
    expect(Object.keys(undocumented).filter((path) => !(path in fields))).toEqual([])
  }
})
