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

/** What is to be written: whose history, how many lines of it, and how its records differ. */
export interface Wanted {
  readonly vendor: Vendor | 'csv'
  readonly variety: Variety
  readonly count: number
}

/** Writes a history to a file, in flat memory. The file gets its name only when it is complete. */
export async function writeHistory(path: string, wanted: Wanted, seed: number): Promise<void> {
  await pipeline(Readable.from(chunks(linesOf(wanted, seed))), createWriteStream(`${path}.tmp`))
  await rename(`${path}.tmp`, path)
}

function linesOf({ vendor, variety, count }: Wanted, seed: number): Generator<string> {
  return vendor === 'csv' ? table(count, seed) : history(vendor, count, seed, variety)
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
