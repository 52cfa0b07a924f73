import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { caseEngine, readFixtures } from '../../src/mapping-tests/fixture-kit.ts'
import { RecordLoop } from '../../src/pipeline/loop.ts'
import { loadPreset, PRESET_NAMES } from '../../src/presets/index.ts'
import { elements, isJson, members } from '../../src/record/json-values.ts'
import { byDay } from '../helpers/kills.ts'

/** Text that begins as JSON and is none, and JSON of another form than any document has. */
const TORN = ['{bad}', '{"name":bad}', '{"a":1', '[{"key":bad}]', '["']
/** What every object of JavaScript has, and so a table that is asked without care. */
const INHERITED = 'constructor'
/** A number that the service takes in no event. */
const HUGE = '1e400'
const WORDS = [...byDay(TORN, 4), INHERITED, HUGE].map((text) => JSON.stringify(text))

/** The same JSON with each of its values in turn replaced by each word. */
function* replaced(json: string): Generator<string> {
  yield* WORDS
  if (json.startsWith('[')) {
    const items = elements(json)
    for (const [at, item] of items.entries())
      for (const other of replaced(item)) yield `[${items.with(at, other).join(',')}]`
  }
  if (!json.startsWith('{')) return
  const pairs = members(json).map(([name, value]) => [JSON.stringify(name), value] as const)
  for (const [at, [name, value]] of pairs.entries())
    for (const other of replaced(value))
      yield `{${pairs
        .with(at, [name, other])
        .map((pair) => pair.join(':'))
        .join(',')}}`
}

describe.each(PRESET_NAMES)('%s', (vendor) => {
  test('makes an event or a reject of a record whatever text stands for any of its values', async () => {
    const preset = await loadPreset(vendor)
    const faults: string[] = []
    const folder = fileURLToPath(new URL(`../../fixtures/${vendor}`, import.meta.url))
    for (const { input, options = {} } of readFixtures(folder)) {
      let made: string[] = []
      const loop = new RecordLoop(caseEngine(preset, options), {
        take: (outcome) => outcome.status === 'event' && made.push(outcome.text),
      })
      for (const record of [input].flat().filter(isJson)) {
        for (const other of replaced(record)) {
          made = []
          try {
            loop.give(Buffer.from(other))
            if (made.every((line) => isJson(line) && !line.includes(`":${HUGE}`))) continue
            faults.push(`makes what the service refuses of ${other}`)
          } catch (error) {
            faults.push(`${error} of ${other}`)
          }
        }
      }
    }
    expect(faults.slice(0, 3), `${faults.length} faults`).toEqual([])
  })
})
