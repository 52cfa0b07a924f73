import { type CheckpointState, OPEN_PER_MINUTE, ratePerSecond } from '../../delivery/index.ts'
import { BATCH_EVENTS } from '../../options/index.ts'
import type { EventsManifest } from '../../store/index.ts'
import { APPROVAL_TODAY, approvalRequest } from '../check/approval-request.ts'
import type { ApprovalPart } from './report-data.ts'

/** The request for approval, with the caps of the import if it has begun, else the usual ones. */
export function approvalPart(
  manifests: readonly EventsManifest[],
  state: Pick<CheckpointState, 'caps' | 'most_lanes'> | undefined,
): ApprovalPart {
  const events = manifests.reduce((sum, manifest) => sum + manifest.events.written, 0)
  const days = manifests.flatMap((manifest) => Object.keys(manifest.days)).sort()
  const [first, last] = [days[0], days.at(-1)]
  const perMinute = state?.caps.events_per_minute ?? OPEN_PER_MINUTE
  const lanes = state?.most_lanes ?? 1
  const asked = {
    events,
    perMinute,
    lanes,
    batchEvents: Number(BATCH_EVENTS.default.replaceAll(',', '')),
    ms: (events * 1000) / ratePerSecond({ perMinute, lanes }),
    span: first !== undefined && last !== undefined ? { first, last } : undefined,
  }
  return { text: approvalRequest(asked, manifests[0]!.source), notes: APPROVAL_TODAY }
}
