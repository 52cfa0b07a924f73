import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { writeManifest } from '../../src/store/dataset.ts'
import { LocalStore } from '../../src/store/local.ts'
import type { EventsManifest } from '../../src/store/manifest.ts'
import { eventLine, type TestEvent } from './events.ts'

/** A part to write: its file's name and the events of one day. */
export interface TestPart {
  readonly file: string
  readonly events: readonly TestEvent[]
}

/** Writes a dataset as transform would. The manifest names the parts in the order given. */
export async function writeDataset(folder: string, parts: readonly TestPart[]): Promise<EventsManifest> {
  mkdirSync(folder, { recursive: true })
  const days: Record<string, Record<string, number>> = {}
  const written = parts.map(({ file, events }) => {
    const text = events.map((event) => `${eventLine(event)}\n`).join('')
    const bytes = file.endsWith('.gz') ? gzipSync(text) : Buffer.from(text)
    writeFileSync(join(folder, file), bytes)
    const day = file.slice(0, 10)
    for (const { event } of events) {
      days[day] ??= {}
      days[day][event] = (days[day][event] ?? 0) + 1
    }
    const [first, last] = [events[0]?.timestamp ?? '', events.at(-1)?.timestamp ?? '']
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return { file, day, events: events.length, bytes: bytes.length, sha256, first, last }
  })
  const count = parts.reduce((sum, { events }) => sum + events.length, 0)
  const manifest: EventsManifest = {
    version: 1,
    kind: 'events',
    tool: 'posthaul test',
    created_at: '2024-06-01T00:00:00.000Z',
    source: { preset: 'posthog' },
    parts: written,
    counts: { read: count, written: count, rejected: 0, filtered: 0, duplicate: 0, pending: 0, generated: 0 },
    days,
    rejects: {},
    mends: {},
    big_integers: {},
  }
  await writeManifest(new LocalStore(folder), manifest)
  return manifest
}
