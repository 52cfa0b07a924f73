import { describe, expect, test } from 'vitest'
import type { FixtureOptions } from '../../src/mapping-tests/fixture-kit.ts'
import { loadPreset, PRESET_NAMES } from '../../src/presets/index.ts'
import { independentSequences, poolsOf } from '../helpers/independence.ts'
import { kills } from '../helpers/kills.ts'
import { seedOf } from '../helpers/random.ts'

/*
 * Promise 11: the event of a record is a function of that record and the rules. Here whatever stood before it, and 800
 * sequences by day, 500,000 in the project `many`; on any worker and in every command in 11-one-answer.test.ts.
 */
const SEQUENCES = kills({ few: 800, many: 500_000 })
const each = Math.ceil(SEQUENCES / PRESET_NAMES.length)

describe.each(PRESET_NAMES)('%s', (name) => {
  test('a record becomes the same alone and after any others, in any order', async () => {
    const preset = await loadPreset(name)
    const seed = seedOf(`independence of ${name}`)
    expect(independentSequences(preset, poolsOf(name, seed), { seed, sequences: each })).toEqual([])
  })
})

/** Records with each way of writing nothing in each place that a rule reads, one after the other, before a sound one. */
const WORDS = [
  ...['NULL', 'null', 'NaN', 'nan', 'None', 'none', 'undefined', 'N/A', '(not set)', 'guest', '', ' '],
]
const TABLE: FixtureOptions = {
  mapping: {
    fields: {
      event: ['finer', 'name'],
      distinct_id: ['user', 'device'],
      anonymous_id: 'device',
      timestamp: ['paid_at', 'created_at'],
      uuid: ['id', 'other_id'],
      session_id: 'session',
    },
    groups: { company: 'company' },
  },
}

test.each('finer name user device paid_at created_at id other_id session company'.split(' '))(
  'a word for nothing as %s is of that record alone',
  async (member) => {
    const sound = {
      finer: 'order placed',
      name: 'order',
      user: 'u1',
      device: 'd1',
      paid_at: '2024-03-02 11:00:00',
      created_at: '2024-02-27 09:10:00',
      id: 'o-3',
      other_id: 'x-3',
      session: 's-3',
      company: 'acme',
    }
    const records = WORDS.flatMap((word) => [{ ...sound, [member]: word }, sound]).map((one) =>
      JSON.stringify(one),
    )
    const pool = { options: TABLE, records }
    expect(independentSequences(await loadPreset('events'), [pool], { seed: 1, sequences: 20 })).toEqual([])
  },
)
