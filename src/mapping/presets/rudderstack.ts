import { sessionUuidV7 } from '../../record/uuid.ts'
import type { Draft, RecordView } from '../preset.ts'
import { specPreset } from './segment-spec.ts'

/** RudderStack's object-storage dumps: Segment's spec, with the request's address and sessions besides. */
export const rudderstack = specPreset({
  vendor: 'rudderstack',
  rules: 1,
  namespace: '706f7374-6861-756c-5f72-75646465725f', // the 16 bytes "posthaul_rudder_"
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
function setSession(record: RecordView, draft: Draft): void {
  const session = record.text('sessionId')
  const owner = record.text('anonymousId') ?? record.text('userId')
  if (session === undefined || owner === undefined) return
  const start = /^\d{13}$/.test(session)
    ? Number(session)
    : /^\d{10}$/.test(session)
      ? Number(session) * 1000
      : 0
  if (start > 0) draft.text('$session_id', sessionUuidV7(start, `${owner}:${session}`))
}
