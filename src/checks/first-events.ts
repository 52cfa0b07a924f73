import { LineFramer } from '../record/lines.ts'
import type { Told } from '../record/merging.ts'
import { gunzip } from '../store/gunzip.ts'
import type { EventsManifest } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import { eventIn } from './event-in.ts'

/** The first events of some days of a dataset, so many of each. No more of a part is read than that takes. */
export async function firstEvents(
  store: Store,
  { parts }: Pick<EventsManifest, 'parts'>,
  days: readonly string[],
  most: number,
): Promise<Told[]> {
  const found: Told[] = []
  for (const day of days) {
    const part = parts.find((one) => one.day === day)
    if (part) found.push(...(await firstOf(store, part.file, most)))
  }
  return found
}

async function firstOf(store: Store, file: string, most: number): Promise<Told[]> {
  const found: Told[] = []
  const framer = new LineFramer({
    line(bytes, start, end) {
      const event = found.length < most ? eventIn(bytes.toString('utf8', start, end)) : undefined
      if (event) found.push({ ...event, distinctId: event.distinct_id })
    },
    tooLong() {},
  })
  const stored = store.read(file)
  for await (const chunk of file.endsWith('.gz') ? gunzip(stored) : stored) {
    framer.push(chunk)
    if (found.length >= most) return found
  }
  framer.end()
  return found
}
