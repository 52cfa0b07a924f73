import type { Draft, RecordView } from '../mapping/preset.ts'
import { specPreset } from './segment-spec.ts'

/** RudderStack's object-storage dumps: Segment's spec, with the request's address and sessions besides. */
export const rudderstack = specPreset({
  vendor: 'rudderstack',
  rules: 2,
  groupType: 'company',
  // Segment's members, and one that only RudderStack adds.
  recognises: ['rudderId', 'request_ip', 'context.sessionId'].flatMap((own) => [
    ['type', 'messageId', 'timestamp', own],
    ['type', 'messageId', 'originalTimestamp', own],
  ]),
  fields: {
    // After context.ip in the table, so it serves where the SDK saw no address.
    request_ip: '$ip',
    'context.page.referring_domain': '$referring_domain',
    'context.sessionId': ['@sessionId', 'context_sessionId'],
  },
  perform: setSession,
})

/** The SDKs name a session by its start: milliseconds on the web, seconds on phones. Other ids are the app's own. */
export function setSession(record: RecordView, draft: Draft): void {
  const id = record.text('sessionId')
  if (id === undefined) return
  draft.session({ id, owner: record.text('anonymousId') ?? draft.distinctId, start: undefined })
}
