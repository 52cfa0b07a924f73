import type { TestSource } from '../../mapping/mapping-tests.ts'
import { elements, isJson, members } from '../../record/json-values.ts'
import { textIn } from '../../record/text.ts'
import { KIB } from '../../text/units.ts'

/** A record of a test takes no more bytes than this. */
const MOST_BYTES = 4 * KIB
/** Characters of a text and elements of a list that are left, tried one after the other. */
const LIMITS = [
  [200, 20],
  [80, 3],
  [20, 1],
] as const

type Limits = (typeof LIMITS)[number]

/** A record or a row whose long values are cut until it is small enough to be read in a test; undefined where none of that helps. */
export function smallSource<S extends TestSource>(source: S): S | undefined {
  if (source.kind === 'file' || bytesOf(source) <= MOST_BYTES) return source
  for (const limits of LIMITS) {
    const small = cut(source, limits)
    if (bytesOf(small) <= MOST_BYTES) return small as S
  }
  return undefined
}

type Held = Exclude<TestSource, { kind: 'file' }>

function bytesOf(source: Held): number {
  return Buffer.byteLength(source.kind === 'row' ? JSON.stringify(source.cells) : source.json)
}

function cut(source: Held, limits: Limits): Held {
  if (source.kind === 'record') return { ...source, json: cutJson(source.json, limits) }
  const cells = Object.entries(source.cells).map(([name, cell]) => [name, cutText(cell, limits)])
  return { ...source, cells: Object.fromEntries(cells) as typeof source.cells }
}

/** Numbers keep their bytes. */
function cutJson(json: string, limits: Limits): string {
  if (json.startsWith('{')) {
    const all = members(json).map(([name, value]) => `${JSON.stringify(name)}:${cutJson(value, limits)}`)
    return `{${all.join(',')}}`
  }
  if (json.startsWith('[')) {
    const all = elements(json).slice(0, limits[1])
    return `[${all.map((one) => cutJson(one, limits)).join(',')}]`
  }
  return json.startsWith('"') && json.length > limits[0]
    ? JSON.stringify(cutText(textIn(json), limits))
    : json
}

/** Text that holds JSON stays JSON. */
function cutText(text: string, limits: Limits): string {
  const [most] = limits
  if (text.length <= most) return text
  if (/^[[{]/.test(text) && isJson(text)) return cutJson(text, limits)
  return `${[...text.slice(0, most)].slice(0, -1).join('')}…`
}
