import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Where histories begin, in seconds; days are counted from here. */
const START = Date.UTC(2016, 0, 1) / 1000
const DAY_SECONDS = 86_400
const LINES_AT_ONCE = 2000
const FILES_A_FOLDER = 1000

/** Makes the record of a number, as Mixpanel exports it; `time` in seconds. */
type OddRecord = (n: number, time: number) => string

/** Of two dozen names, 5,000 people, and nothing else that differs. */
export const plain: OddRecord = (n, time) =>
  `{"event":"Page ${n % 24} viewed","properties":{"time":${time},"distinct_id":"user-${n % 5000}","$insert_id":"seen-${n}","n":${n},"page":"/a/${n % 100}"}}`

/** Names of events, of a property, of the person, of the device and of the group that no other record has. */
export const different: OddRecord = (n, time) =>
  `{"event":"Page ${n} viewed","properties":{"time":${time},"distinct_id":"user-${n}","$device_id":"device-${n}","$user_id":"user-${n}","$insert_id":"seen-${n}","property ${n}":${n},"company":"company ${n}"}}`

/** Writes `count` records. Each follows on the day of the one before it, so that every stretch of the file has all `days`. */
export async function writeOdd(path: string, record: OddRecord, count: number, days: number): Promise<void> {
  function* chunks() {
    let lines: string[] = []
    for (let n = 0; n < count; n++) {
      lines.push(record(n, START + (n % days) * DAY_SECONDS + (n % DAY_SECONDS)))
      if (lines.length < LINES_AT_ONCE && n < count - 1) continue
      yield `${lines.join('\n')}\n`
      lines = []
    }
  }
  await pipeline(Readable.from(chunks()), createWriteStream(path))
}

/** Writes `count` files of one record each. */
export function writeTinyFiles(folder: string, count: number): void {
  for (let n = 0; n < count; n++) {
    const below = join(folder, String(Math.floor(n / FILES_A_FOLDER)))
    if (n % FILES_A_FOLDER === 0) mkdirSync(below, { recursive: true })
    writeFileSync(join(below, `export-${n}.ndjson`), `${plain(n, START + 60 * n)}\n`)
  }
}
