import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Preset } from '../../src/mapping/preset.ts'
import {
  differencesOf,
  type Fixture,
  mappingFor,
  NOW,
  readFixtures,
} from '../../src/mapping-tests/fixture-kit.ts'
import { PRESETS } from '../../src/presets/index.ts'
import { ReferenceMapper } from './mapper.ts'
import { WholeInput } from './whole-input.ts'

const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url))
const GROUP_EVENT = '$groupidentify'

test.each(PRESETS.filter(({ name }) => existsSync(FIXTURES + name)))(
  '$name: the reference is right on all fixtures',
  async ({ name, load }) => {
    const preset = await load()
    const wrong = readFixtures(FIXTURES + name).map(
      (fixture) => [fixture.name, differences(preset, fixture)] as const,
    )
    expect(wrong.filter(([, problems]) => problems.length > 0)).toEqual([])
  },
)

/** What the reference makes otherwise of a case than it says. */
function differences(preset: Preset, { input, expected, reason, options = {} }: Fixture): string[] {
  const mapping = mappingFor(options)
  const switches = new Set(options.switches)
  const mapper = new ReferenceMapper(preset, mapping, {
    switches,
    importId: null,
    hashKey: '',
    now: NOW,
    version: '',
  })
  const whole = new WholeInput()
  const outcomes = [input].flat().flatMap((record) => mapper.map(record))
  const made = outcomes.flatMap((one) => whole.take(one))
  made.push(...whole.end(mapper.constants(), Object.entries(mapping.properties.set), GROUP_EVENT))
  made.sort((a, b) => a.instant - b.instant || a.seq - b.seq || a.kind - b.kind || (a.line < b.line ? -1 : 1))
  const lines = made.map(({ line }) => line)
  const rejects = outcomes.flatMap((one) => ('rejected' in one ? [one.rejected] : []))
  if (expected) return [...rejects, ...differencesOf(lines, expected)]
  return rejects.length > 0 && rejects.every((one) => one === reason)
    ? lines
    : [`rejected: ${rejects}`, ...lines]
}
