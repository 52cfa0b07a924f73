import { row } from './row.ts'
import { duration, durationOrNone, keyFingerprint, text, trueOrFalse, wholeNumber } from './values.ts'

// How events are sent: the caps, the batches, the state.

export const IMPORT_DRY_RUN = row({
  flag: '--dry-run',
  help: 'read the input and plan the import; send nothing, change no state',
})

export const CHECKPOINT_ROW = row({
  flag: '--checkpoint <file>',
  shown: 'seldom',
  otherwise: 'beside the input',
  help: 'where the state is kept',
})

export const STATE = row({
  flag: '--state <store>',
  parse: text,
  otherwise: 'beside the input',
  help: 'a folder or s3://bucket/prefix that keeps the state of all imports',
})

export const RESTART = row({ flag: '--restart', help: 'forget the saved state and start again' })

export const SINGLE_WRITER = row({
  env: 'POSTHAUL_SINGLE_WRITER',
  config: 'import.singleWriter',
  parse: trueOrFalse,
  default: 'false',
  help: 'keep the state in a store that cannot tell two runs apart: you start one at a time',
})

/** The smallest value depends on the lanes: see `capsOf`. */
export const MAX_EVENTS_PER_MINUTE = row({
  flag: '--max-events-per-minute <n>',
  config: 'import.maxEventsPerMinute',
  parse: wholeNumber(1),
  default: '10,000',
  help: 'rate cap',
})

export const MAX_EVENTS = row({
  flag: '--max-events <n>',
  config: 'import.maxEvents',
  parse: wholeNumber(1),
  default: '20,000,000',
  help: 'volume cap of the whole migration',
})

export const APPROVED = row({
  flag: '--approved',
  help: "allow caps above the defaults: the service's team has approved them",
})

export const LANES = row({
  flag: '--lanes <n>',
  shown: 'seldom',
  config: 'import.lanes',
  parse: wholeNumber(1, 64),
  default: '1',
  help: 'requests under way at once; all events of a distinct_id use the same lane',
})

export const BATCH_EVENTS = row({
  flag: '--batch-events <n>',
  shown: 'seldom',
  config: 'import.batchEvents',
  parse: wholeNumber(1, 10_000),
  default: '1,000',
  help: 'most events in a request; fewer under a low cap',
})

export const VIA = row({
  flag: '--via <route>',
  config: 'import.via',
  choices: ['batch', 'v1'],
  otherwise: 'batch, or as it was begun',
  help: 'send to /batch/, or to Capture V1, which answers for each event',
})

export const RETRY_FOR = row({
  flag: '--retry-for <duration>',
  shown: 'seldom',
  config: 'import.retryFor',
  parse: duration,
  default: '1h',
  help: 'how long to retry failures in a row before giving up, e.g. 90s, 1h30m',
})

export const TRIAL = row({
  flag: '--trial <project>',
  help: 'send a trial, which transform --people makes, to the project of this name, which is there for it',
})

export const REPLACES_KEY = row({
  flag: '--replaces-key <fingerprint>',
  shown: 'seldom',
  parse: keyFingerprint,
  help: 'the project key replaced this one in the same project; its error names it',
})

export const STOP_AFTER = row({
  flag: '--stop-after <duration>',
  parse: duration,
  help: 'stop in time for the next cron job, e.g. 55m',
})

export const DRAIN = row({
  env: 'POSTHAUL_DRAIN',
  config: 'import.drain',
  parse: durationOrNone,
  default: '10s',
  help: 'how long a run that stops waits for the requests under way',
})

export const ARRIVAL_WAIT = row({
  env: 'POSTHAUL_ARRIVAL_WAIT',
  config: 'import.arrivalWait',
  parse: durationOrNone,
  default: '30m',
  help: 'an import pauses when nothing sent in that time is in the project; 0 does not ask',
})

export const KEEP_PERSONS = row({
  flag: '--keep-persons <choice>',
  choices: ['yes', 'no'],
  otherwise: 'yes if a personal key is set',
  help: 'put persons right that the project has already, or leave them as the history makes them',
})

export const WAIT = row({
  flag: '--wait',
  help: 'if another import draws on the rate cap, wait for its end; default: exit 7',
})

export const STEAL_LOCK = row({
  flag: '--steal-lock',
  shown: 'seldom',
  help: 'take the place of another import at once, which then stops',
})

export const NEW_MIGRATION = row({
  flag: '--new-migration',
  shown: 'seldom',
  help: 'count events for the volume cap from 0: this is another migration',
})
