import type { UuidField } from '../checks/uuids-seen.ts'
import { number, plural } from '../text/words.ts'
import { guardOf } from './guard.ts'

const FIELDS: Readonly<Record<UuidField, string>> = {
  distinct_id: 'person',
  event: 'name',
  timestamp: 'time',
}

/** Whether a uuid is that of one event. */
export const UUIDS = guardOf({
  restsOn: 'data',
  codes: {
    repeated_uuids: {
      level: 'error',
      means: 'in files, events that differ in person, name or time share a uuid',
      remedy: 'give each event a uuid of its own, or leave uuid out: then one is made of the line',
      accepted: 'all are sent and kept; `verify` may call them changed or doubled',
    },
    shared_uuids: {
      level: 'note',
      means: 'in a dataset, events that differ in person, name or day share the id that the vendor gave',
      remedy:
        'nothing, if the vendor gave an id twice; uuid: null under fields in the mapping file makes one of each record instead',
    },
  },
  look({ uuids }, found) {
    if (!uuids || uuids.count === 0) return []
    const { kind, count, by, example, isEstimated } = uuids
    const fields = (Object.keys(FIELDS) as UuidField[]).filter((field) => by[field] > 0)
    const differ = fields.map((field) => `${FIELDS[field]} (${number(by[field])})`).join(', ')
    const about = isEstimated ? 'about ' : ''
    return [
      found(kind === 'file' ? 'repeated_uuids' : 'shared_uuids', {
        count,
        names: fields.sort((a, b) => by[b] - by[a]),
        example,
        text:
          `${about}${plural(count, 'uuid has', 'uuids have')} events that differ${differ === '' ? '' : ` in ${differ}`}: ` +
          'PostHog merges only events whose uuid, person, name and time are the same, and keeps each of these',
      }),
    ]
  },
})
