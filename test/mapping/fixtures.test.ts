import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { compile, type RuleNode } from '../../src/mapping/compile.ts'
import { type Fixture, mapFixture, mappingFor, readFixtures } from '../../src/mapping-tests/fixture-kit.ts'
import { loadPreset, PRESET_NAMES } from '../../src/presets/index.ts'
import { elements, members } from '../../src/record/json-values.ts'
import { VERSION } from '../../src/version.ts'

// What every preset promises, valid and invalid cases among it, is in test/presets/promises.test.ts.
const FIXTURES = new URL('../../fixtures/', import.meta.url)
const PRESETS = new Map(
  await Promise.all(PRESET_NAMES.map(async (name) => [name, await loadPreset(name)] as const)),
)
/** Replaced by the version that runs. */
const OUR_VERSION = '"$lib_version":"0.1.0"'
const HEAD =
  /^\{"uuid":"[0-9a-f-]{36}","timestamp":"[0-9T:.-]{26}Z","event":".*?","distinct_id":".*?","properties":\{/

describe.each(PRESET_NAMES)('%s', (vendor) => {
  test.each(cases(vendor))('valid/%s: %s', (_, __, { input, expected, options }) => {
    const { lines } = mapFixture(PRESETS.get(vendor)!, [input].flat(), options)
    expect(lines.map(asWritten)).toEqual(
      expected!.map((line) => asWritten(line.replaceAll(OUR_VERSION, `"$lib_version":"${VERSION}"`))),
    )
    for (const line of lines) expect(line).toMatch(HEAD)
  })

  test.each(cases(vendor))(
    'valid/%s: the same where all that the preset looks into is text',
    (_, __, { input, expected, options = {} }) => {
      const { root } = compile(PRESETS.get(vendor)!, mappingFor(options))
      const { lines } = mapFixture(
        PRESETS.get(vendor)!,
        [input].flat().map((record) => inText(record, root)),
        options,
      )
      // A uuid that is made of the record's bytes is another one; all else stays.
      const apart = (line: string) => asWritten(line.replace(/"uuid":"[^"]*"/, '"uuid":""'))
      expect(lines.map(apart)).toEqual(
        expected!.map((line) => apart(line.replaceAll(OUR_VERSION, `"$lib_version":"${VERSION}"`))),
      )
    },
  )
})

function cases(vendor: string): Array<[name: string, about: string, Fixture]> {
  return readFixtures(fileURLToPath(new URL(vendor, FIXTURES)))
    .filter(({ name }) => name.startsWith('valid/'))
    .map((one) => [one.name.slice('valid/'.length), one.about, one])
}

/** A record with every object and array that rules look into as text, inner ones first. */
function inText(json: string, node: RuleNode): string {
  if (!json.startsWith('{')) return json
  const pieces = members(json).map(([name, value]) => {
    const rule = node.named.get(name)
    const isRead = rule !== undefined && (rule.child !== undefined || rule.opens) && /^[[{]/.test(value)
    const text = isRead ? JSON.stringify(rule.child ? inText(value, rule.child) : value) : value
    return `${JSON.stringify(name)}:${text}`
  })
  return `{${pieces.join(',')}}`
}

/** JSON as a tree whose scalars are the text they were written as: 1.0 is not 1 here. No key may occur twice. */
function asWritten(json: string): unknown {
  if (json.startsWith('[')) return elements(json).map(asWritten)
  if (!json.startsWith('{')) return json
  const pairs = members(json)
  expect(new Set(pairs.map(([name]) => name)).size, `a key occurs twice in ${json}`).toBe(pairs.length)
  return new Map(pairs.map(([name, value]) => [name, asWritten(value)] as const).sort(byName))
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
