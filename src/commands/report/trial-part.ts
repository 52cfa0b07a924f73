import type { EventsManifest } from '../../store/manifest.ts'
import { mostFirst } from '../../text/words.ts'
import { boundLabels, cutText, MOST_ROWS } from './bounds.ts'
import type { Opened } from './datasets.ts'
import type { TrialPart } from './trial-data.ts'

/** Each trial beside the whole that is given with it: the one whose events carry what the trial's whole does, else none. */
export function trialParts(events: readonly Opened<EventsManifest>[]): TrialPart[] {
  return events.flatMap(({ name, manifest }) => {
    const { trial } = manifest
    const whole =
      trial &&
      events.find((one) => !one.manifest.trial && one.manifest.import_ids?.includes(trial.whole_import_id))
    if (!whole) return []
    const all = whole.manifest
    const rows = mostFirst(Object.entries(all.names))
    const labels = boundLabels(rows.slice(0, MOST_ROWS).map(([event]) => event))
    return {
      trial: cutText(name),
      whole: cutText(whole.name),
      people: trial.people,
      events: [manifest.events.written, all.events.written],
      days: [Object.keys(manifest.days).length, Object.keys(all.days).length],
      names: rows.slice(0, MOST_ROWS).map(([event, count]) => {
        const counts = [manifest.names[event] ?? 0, count] as const
        return { name: labels.get(event)!, counts, shares: sharesOf(counts, manifest, all) }
      }),
      otherNames: Math.max(0, rows.length - MOST_ROWS),
      absent: rows.filter(([event]) => manifest.names[event] === undefined).length,
    }
  })
}

function sharesOf(
  [few, many]: readonly [number, number],
  trial: Pick<EventsManifest, 'events'>,
  whole: Pick<EventsManifest, 'events'>,
): readonly [number, number] {
  return [few / Math.max(1, trial.events.written), many / Math.max(1, whole.events.written)]
}
