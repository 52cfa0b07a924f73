import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { amplitudeRecord } from './amplitude.ts'
import { mixpanelRecord } from './mixpanel.ts'
import { Random } from './random.ts'
import { table } from './table.ts'
import { millisOf } from './visitor.ts'

const RECORD = { mixpanel: mixpanelRecord, amplitude: amplitudeRecord }
const CHUNK_EVENTS = 500

/** The histories there are. */
export const HISTORIES = ['mixpanel', 'amplitude', 'csv'] as const
export type HistoryName = (typeof HISTORIES)[number]

/**
 * A made-up history as the vendor exports it: `count` lines, one day after the other. The lines of a day are in no
 * order, and two in a thousand are there twice, as in real exports. A function of its arguments.
 */
function* history(vendor: keyof typeof RECORD, count: number, seed: number): Generator<string> {
  const random = new Random(seed)
  let before = ''
  for (let i = 0; i < count; i++) {
    if (i > 0 && random.next() < 0.002) {
      yield before
      continue
    }
    before = JSON.stringify(RECORD[vendor](i, millisOf(i, random), seed, random))
    yield before
  }
}

/** Writes `count` lines of a history to a file, in flat memory. The file gets its name only when it is complete. */
export async function writeHistory(
  path: string,
  name: HistoryName,
  count: number,
  seed: number,
): Promise<void> {
  const lines = name === 'csv' ? table(count, seed) : history(name, count, seed)
  await pipeline(Readable.from(chunks(lines)), createWriteStream(`${path}.tmp`))
  await rename(`${path}.tmp`, path)
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
