import type { MigrationPlan } from '../../checks/check-data.ts'
import { BATCH_BYTES } from '../../delivery/batcher.ts'
import { burstOf, CAP_ROWS, capsOf, OPEN_EVENTS, OPEN_PER_MINUTE } from '../../delivery/pacer.ts'
import { ACCEPT } from '../../guards/guards.ts'
import { inputOf, switchesFor } from '../../imports/import-order.ts'
import { FILE } from '../../options/dataset-rows.ts'
import {
  APPROVED,
  BATCH_EVENTS,
  LANES,
  MAX_EVENTS,
  MAX_EVENTS_PER_MINUTE,
  STATE,
} from '../../options/import-rows.ts'
import { JSON_SUMMARY } from '../../options/output-rows.ts'
import { flagOf, type Row } from '../../options/row.ts'
import { CONFIG, HOST, REGION } from '../../options/service-rows.ts'
import { OPTIONAL_API_ROWS } from '../../options/service-settings.ts'
import { WITH } from '../../options/transform-rows.ts'
import { type Call, describe } from '../command.ts'
import { DATASET_ARGUMENT, DATASET_OPTION, datasetOf } from '../dataset-argument.ts'

export const OPTIONS = [
  DATASET_OPTION,
  { ...FILE, bare: false, help: "files of the service's own events, as import takes them" },
  { ...WITH, help: 'switches of the preset posthog, with --file' },
  ...CAP_ROWS,
  BATCH_EVENTS,
  STATE,
  { ...ACCEPT, help: 'as import takes it: what it finds is a warning, not an error' },
  JSON_SUMMARY,
  REGION,
  HOST,
  ...OPTIONAL_API_ROWS,
  CONFIG,
] as const

export type CheckCall = Call<typeof OPTIONS>

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

/** `check`: what an import of a dataset or of files will do, and the text of the request for approval. */
export const command = describe({
  argument: DATASET_ARGUMENT,
  help: `
Reads everything once and sends nothing; needs no key. With a personal key
(scopes project:read, group:read and query:read) it asks for the project and
what it has of these days, which group types it has and which events would not
show their groups, and which persons of the project import will put right. The
caps are those of import, from the same options, settings and defaults. What it
finds is an error, a warning or a note, each with an example and what to do. The
exit code is 3 if it finds an error: something that the service would certainly
lose or change.`,
  options: OPTIONS,
  isReported: true,
  work: () => import('./run.ts'),
})
