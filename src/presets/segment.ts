import type { Draft, RecordView } from '../mapping/preset.ts'
import { members } from '../record/json-values.ts'
import { KIND } from '../record/tape.ts'
import { specPreset } from './segment-spec.ts'

/** Segment's S3 logs and warehouse-bound files: gzipped JSON lines, one call a line. */
export const segment = specPreset({
  vendor: 'segment',
  rules: 2,
  // What the service's Segment destination calls the groups of its users.
  groupType: 'segment_group',
  recognises: [
    ['type', 'timestamp', 'messageId'],
    ['type', 'timestamp', 'anonymousId'],
    ['type', 'timestamp', 'userId'],
  ],
  perform: setSession,
})

/** The spec has no sessions. A call that is to go to Amplitude too says there when its session began, in milliseconds. */
function setSession(record: RecordView, draft: Draft): void {
  if (record.kind('integrations') !== KIND.object) return
  const amplitude = record.entries('integrations').find(([name]) => name === 'Actions Amplitude')?.[1]
  const id = members(amplitude ?? '')
    .find(([name]) => name === 'session_id')?.[1]
    .replaceAll('"', '')
  if (id === undefined || id === '-1' || id === 'null') return
  draft.session({ id, owner: record.text('anonymousId') ?? draft.distinctId, start: undefined })
}
