import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { amplitudeRecord } from './amplitude.ts'
import { mixpanelRecord } from './mixpanel.ts'
import { Random } from './random.ts'
import { Shapes, type Variety } from './shape.ts'
import { table } from './table.ts'
import { millisOf } from './visitor.ts'

export type Vendor = 'mixpanel' | 'amplitude'

const RECORD = { mixpanel: mixpanelRecord, amplitude: amplitudeRecord }
const CHUNK_EVENTS = 500

/**
 * A made-up history as the vendor exports it: `count` lines, one day after the other. The lines of a day are in no
 * order, and two in a thousand are there twice, as in real exports. A function of its arguments.
 */
export function* history(
  vendor: Vendor,
  count: number,
  seed: number,
  variety: Variety = 'usual',
): Generator<string> {
  const random = new Random(seed)
  const shapes = variety === 'usual' ? undefined : new Shapes(variety, seed)
  const record = RECORD[vendor]
  let before = ''
  for (let i = 0; i < count; i++) {
    if (i > 0 && random.next() < 0.002) {
      yield before
      continue
    }
    const millis = millisOf(i, random)
    before = JSON.stringify(record(i, millis, seed, random, shapes?.next(random)))
    yield before
  }
}

/** The histories there are: whose, and how its records differ. One without a second word is `usual`. */
export const HISTORIES = [
  'mixpanel',
  'mixpanel varied',
  'mixpanel wild',
  'amplitude',
  'amplitude varied',
  'amplitude wild',
  'csv',
] as const

export type HistoryName = (typeof HISTORIES)[number]

/** Writes `count` lines of a history to a file, in flat memory. The file gets its name only when it is complete. */
export async function writeHistory(
  path: string,
  name: HistoryName,
  count: number,
  seed: number,
): Promise<void> {
  await pipeline(Readable.from(chunks(linesOf(name, count, seed))), createWriteStream(`${path}.tmp`))
  await rename(`${path}.tmp`, path)
}

function linesOf(name: HistoryName, count: number, seed: number): Generator<string> {
  if (name === 'csv') return table(count, seed)
  const [vendor, variety] = name.split(' ') as [Vendor, Variety | undefined]
  return history(vendor, count, seed, variety)
}

function* chunks(written: Iterable<string>): Generator<string> {
  let lines: string[] = []
  for (const line of written) {
    lines.push(line)
    if (lines.length === CHUNK_EVENTS) {
      yield `${lines.join('\n')}\n`
      lines = []
    }
  }
  if (lines.length > 0) yield `${lines.join('\n')}\n`
}
