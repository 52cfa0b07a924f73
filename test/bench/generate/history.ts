import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { amplitudeRecord } from './amplitude.ts'
import { mixpanelRecord } from './mixpanel.ts'
import { Random } from './random.ts'

export type Vendor = 'mixpanel' | 'amplitude'

const RECORD = { mixpanel: mixpanelRecord, amplitude: amplitudeRecord }
const FIRST_DAY = Date.UTC(2022, 0, 1)
const DAY = 86_400_000
const EVENTS_A_DAY = 20_000
const CHUNK_EVENTS = 500

/**
 * A made-up history as the vendor exports it: `count` lines, one day after the other. The lines of a day are in no
 * order, and two in a thousand are there twice, as in real exports. A function of its arguments.
 */
export function* history(vendor: Vendor, count: number, seed: number): Generator<string> {
  const random = new Random(seed)
  const record = RECORD[vendor]
  let before = ''
  for (let i = 0; i < count; i++) {
    if (i > 0 && random.next() < 0.002) {
      yield before
      continue
    }
    const millis = FIRST_DAY + Math.floor(i / EVENTS_A_DAY) * DAY + random.below(DAY)
    before = JSON.stringify(record(i, millis, seed, random))
    yield before
  }
}

/** Writes a history to a file, in flat memory. The file gets its name only when it is complete. */
export async function writeHistory(path: string, vendor: Vendor, count: number, seed: number): Promise<void> {
  await pipeline(Readable.from(chunks(vendor, count, seed)), createWriteStream(`${path}.tmp`))
  await rename(`${path}.tmp`, path)
}

function* chunks(vendor: Vendor, count: number, seed: number): Generator<string> {
  let lines: string[] = []
  for (const line of history(vendor, count, seed)) {
    lines.push(line)
    if (lines.length === CHUNK_EVENTS) {
      yield `${lines.join('\n')}\n`
      lines = []
    }
  }
  if (lines.length > 0) yield `${lines.join('\n')}\n`
}
