import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { groupedBy } from '../../src/text/lists.ts'
import type { Segment } from '../../src/transform/run/frame.ts'
import { seeded } from './random.ts'

const FIRST = Date.UTC(2023, 0, 30) / 1000

/**
 * Writes a Mixpanel history: plain files that are cut into several units, and packed ones; users known by two ids, groups
 * that change, records twice, without an id, and broken ones.
 */
export function writeHistory(
  folder: string,
  seed: number,
  { files = 6, records = 300, padding = 0 } = {},
): void {
  const random = seeded(seed)
  const pick = (most: number) => Math.floor(random() * most)
  mkdirSync(folder, { recursive: true })
  for (let file = 0; file < files; file++) {
    const lines: string[] = []
    for (let n = 0; n < records; n++) {
      const user = pick(60)
      const [company, team] = [pick(9), pick(4)]
      const properties = {
        time: FIRST + pick(20 * 86_400),
        distinct_id: random() < 0.5 ? `user-${user}` : `$device:device-${user}`,
        ...(random() < 0.7 && { $device_id: `device-${user}`, $user_id: `user-${user}` }),
        ...(random() < 0.9 && { $insert_id: `insert-${pick(files * records)}` }),
        company: `company-${company}`,
        note: 'x'.repeat(padding),
        plan: ['free', 'team', 'größer'][team % 3],
      }
      lines.push(JSON.stringify({ event: `Event ${pick(12)}`, properties }))
      if (random() < 0.02) lines.push('{"event": "torn", "properties": {')
      if (random() < 0.05) lines.push(lines.at(-1)!)
    }
    const text = `${lines.join('\n')}\n`
    const name = `part-${String(file).padStart(2, '0')}.ndjson`
    if (file % 3 === 2) writeFileSync(join(folder, `${name}.gz`), gzipSync(text))
    else writeFileSync(join(folder, name), text)
  }
}

/** Writes Segment calls of people and groups: the properties of groups change in one file and come back in another. */
export function writeCalls(folder: string, seed: number): void {
  const random = seeded(seed)
  const pick = (most: number) => Math.floor(random() * most)
  mkdirSync(folder, { recursive: true })
  for (let file = 0; file < 5; file++) {
    const lines = Array.from({ length: 200 }, (_, n) => {
      const call = {
        messageId: `message-${file}-${n}`,
        timestamp: new Date((FIRST + pick(9 * 86_400)) * 1000).toISOString(),
        anonymousId: `visitor-${pick(80)}`,
        userId: `user-${pick(40)}`,
      }
      if (n % 4 > 0)
        return JSON.stringify({ ...call, type: 'track', event: `Event ${pick(5)}`, properties: {} })
      const traits = { seats: pick(3), name: `Company ${pick(2)}` }
      return JSON.stringify({ ...call, type: 'group', groupId: `group-${pick(12)}`, traits })
    })
    writeFileSync(join(folder, `calls-${file}.ndjson`), `${lines.join('\n')}\n`)
  }
}

/** Segments by day, the days in order. */
export function groupByDay(segments: readonly Segment[]): [number, Segment[]][] {
  return [...groupedBy(segments, ({ day }) => day)].sort(([a], [b]) => a - b)
}
