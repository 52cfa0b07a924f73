import type { MigrationPlan } from '../../checks/check-data.ts'
import { BATCH_BYTES } from '../../delivery/batcher.ts'
import { burstOf, capsOf, OPEN_EVENTS, OPEN_PER_MINUTE } from '../../delivery/pacer.ts'
import { ACCEPT } from '../../guards/accept.ts'
import { inputOf, switchesFor } from '../../imports/import-order.ts'
import {
  APPROVED,
  BATCH_EVENTS,
  LANES,
  MAX_EVENTS,
  MAX_EVENTS_PER_MINUTE,
} from '../../options/import-rows.ts'
import { flagOf, type Row } from '../../options/row.ts'
import { CONFIG, HOST, REGION } from '../../options/service-rows.ts'
import { datasetOf } from '../dataset-argument.ts'
import type { CheckCall } from './index.ts'

/** What is to be checked, and how an import would send it. */
export type CheckOrder = ReturnType<typeof checkOrder>

/** What a call asks for. Code `usage`. */
export function checkOrder(call: CheckCall) {
  const {
    values,
    args: [argument],
  } = call
  const hasFiles = values.file.length > 0 && argument === undefined
  const dataset = hasFiles ? values.dataset : datasetOf(argument, values.dataset)
  const input = inputOf({ ...values, dataset })
  // Caps that need approval are allowed here, so that a user sees what an approval would change.
  const caps = capsOf(call, true)
  const pace = { perMinute: caps.perMinute, lanes: values.lanes }
  const batchEvents = Math.min(values.batchEvents, burstOf(pace))
  return {
    input,
    /** The dataset as it was typed. */
    name: dataset,
    switches: switchesFor(input, values.with),
    pace,
    limits: { events: batchEvents, bytes: BATCH_BYTES },
    maxEvents: caps.events,
    approved: values.approved,
    accept: values.accept,
    state: { ...values, input: input.path },
  }
}

/** The options that `check` shares with import, as they were given, and those that the caps make necessary. */
export function importFlags(
  { resolved, values }: CheckCall,
  { events, perMinute, maxEvents }: Pick<MigrationPlan, 'events' | 'perMinute' | 'maxEvents'>,
): string[] {
  const given = (row: Row, option: { source: string; value: string | number } | undefined) =>
    option?.source === 'cli' ? [flagOf(row), String(option.value)] : []
  const words = [
    ...given(MAX_EVENTS_PER_MINUTE, resolved.maxEventsPerMinute),
    ...given(LANES, resolved.lanes),
    ...given(BATCH_EVENTS, resolved.batchEvents),
    ...given(REGION, resolved.region),
    ...given(HOST, resolved.host),
    ...given(CONFIG, resolved.config),
  ]
  const most = Math.max(events, maxEvents)
  if (values.accept.length > 0) words.push(flagOf(ACCEPT), ...values.accept)
  if (events > maxEvents || resolved.maxEvents.source === 'cli') words.push(flagOf(MAX_EVENTS), String(most))
  if (perMinute > OPEN_PER_MINUTE || most > OPEN_EVENTS) words.push(flagOf(APPROVED))
  return words
}
