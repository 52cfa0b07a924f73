import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compile, type RuleNode } from '../../src/mapping/compile.ts'
import { Mapper } from '../../src/mapping/mapper.ts'
import { type Mapping, NO_MAPPING } from '../../src/mapping/mapping.ts'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { loadPreset, PRESET_NAMES } from '../../src/mapping/presets/index.ts'
import { ByteWriter } from '../../src/record/byte-writer.ts'
import { elements, members } from '../../src/record/cut.ts'
import { Resolver } from '../../src/transform/generate.ts'
import { Observations, type Seen } from '../../src/transform/observations.ts'
import { KINDS } from '../../src/transform/run/frame.ts'
import { VERSION } from '../../src/version.ts'

/** A file of fixtures/<vendor>/valid or invalid. */
interface Case {
  readonly about: string
  readonly options?: {
    readonly sourceTimezone?: string
    readonly switches?: string[]
    readonly mapping?: object
  }
  readonly input: string | string[]
  /** Event lines, as they are sealed. */
  readonly expected?: string[]
  readonly reason?: string
}

const FIXTURES = new URL('../../fixtures/', import.meta.url)
const PRESETS = new Map(
  await Promise.all(PRESET_NAMES.map(async (name) => [name, await loadPreset(name)] as const)),
)
/** Replaced by the version that runs. */
const OUR_VERSION = '"$lib_version":"0.1.0"'
const NOW = Date.UTC(2026, 0, 1) * 1000
const HEAD =
  /^\{"uuid":"[0-9a-f-]{36}","timestamp":"[0-9T:.-]{26}Z","event":".*?","distinct_id":".*?","properties":\{/

describe.each(PRESET_NAMES)('%s', (vendor) => {
  test.each(cases(vendor, 'valid'))('valid/%s: %s', (_, __, { input, expected, options }) => {
    const lines = transform(vendor, [input].flat(), options).lines
    expect(lines.map(asWritten)).toEqual(
      expected!.map((line) => asWritten(line.replaceAll(OUR_VERSION, `"$lib_version":"${VERSION}"`))),
    )
    for (const line of lines) expect(line).toMatch(HEAD)
  })

  test.each(cases(vendor, 'valid'))(
    'valid/%s: the same where all that the preset looks into is text',
    (_, __, { input, expected, options = {} }) => {
      const { root } = compile(PRESETS.get(vendor)!, mappingOf(options))
      const { lines } = transform(
        vendor,
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

  test.each(cases(vendor, 'invalid'))('invalid/%s: %s', (_, __, { input, reason, options }) => {
    const { lines, refusals } = transform(vendor, [input].flat(), options)
    expect({ lines, reasons: refusals.map((refusal) => refusal.reason) }).toEqual({
      lines: [],
      reasons: [reason],
    })
    for (const { message } of refusals) expect(message).toMatch(/\w+ \w+/)
  })
})

function cases(vendor: string, kind: 'valid' | 'invalid'): Array<[name: string, about: string, Case]> {
  const folder = new URL(`${vendor}/${kind}/`, FIXTURES)
  const files = readdirSync(folder)
  return files.sort().map((file) => {
    const one = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Case
    return [file.replace('.json', ''), one.about, one]
  })
}

/** The mapper and what follows it, in memory: map, generate, sort. */
function transform(vendor: string, input: readonly string[], options: Case['options'] = {}) {
  const mapper = new Mapper(PRESETS.get(vendor)!, mappingOf(options), {
    now: NOW,
    version: VERSION,
    switches: new Set(options.switches),
    groupEventName: '$groupidentify',
    importId: null,
  })
  const framed: Array<{ instant: number; seq: number; kind: number; line: string }> = []
  const refusals: Array<{ reason: string; message: string }> = []
  const seen: Seen[] = []
  const observations = new Observations((found) => seen.push(...found))
  for (const [seq, text] of input.entries()) {
    const bytes = Buffer.from(text)
    mapper.out.length = 0
    const mapped = mapper.map(bytes, 0, bytes.length)
    if (mapped.status === 'rejected') refusals.push(mapped)
    if (mapped.status !== 'event') continue
    const { instant, distinctId, anonymousId, groupStates } = mapped
    framed.push({ instant, seq, kind: KINDS.own, line: text8(mapper.out, 0) })
    if (anonymousId !== undefined) observations.link(anonymousId, distinctId, instant, seq)
    for (const state of groupStates) observations.group(state, instant, seq)
  }
  observations.flush()
  const out = new ByteWriter()
  let start = 0
  const resolver = new Resolver()
  for (const one of seen) resolver.see(one)
  resolver.write(
    { vendor, version: VERSION, groupEventName: '$groupidentify', importId: null },
    out,
    (instant, seq, kind) => {
      framed.push({ instant, seq, kind, line: text8(out, start) })
      start = out.length
    },
  )
  framed.sort((a, b) => a.instant - b.instant || a.seq - b.seq || a.kind - b.kind)
  return { lines: framed.map(({ line }) => line), refusals }
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

function mappingOf({ mapping, sourceTimezone }: NonNullable<Case['options']>): Mapping {
  const chosen = mapping ? parseMapping(JSON.stringify(mapping), 'mapping').mapping : NO_MAPPING
  return sourceTimezone === undefined ? chosen : { ...chosen, sourceTimezone }
}

function text8(writer: ByteWriter, start: number): string {
  return writer.bytes.toString('utf8', start, writer.length)
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
