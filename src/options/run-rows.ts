import { row } from './row.ts'
import { duration, type Parse, utcTime } from './values.ts'

// What `run` does of a migration.

/** The stages of a migration, in their order. Files have no export. */
export const RUN_STAGES = ['export', 'transform', 'check', 'import', 'verify'] as const

export const RUN_UNTIL = row({
  flag: '--until <stage>',
  choices: RUN_STAGES,
  help: 'the last stage that is run',
})

export const RUN_FROM = row({
  flag: '--from <stage>',
  choices: RUN_STAGES,
  help: 'the first stage that is looked at; what those before it made is taken as it is',
})

export const RUN_DRY_RUN = row({
  flag: '--dry-run',
  help: 'print the commands, and why each would run or not; run none',
})

export const RUN_STOP_AFTER = row({
  flag: '--stop-after <duration>',
  parse: duration,
  help: 'stop the whole run in time for the next cron job, e.g. 23h',
})

export const RUN_CHANGED = row({
  flag: '--changed <choice>',
  choices: ['resend', 'keep'],
  help: 'where the mapping or the input has changed since events were sent: make them anew and send them again, or keep what was sent',
})

export const RUN_INIT = row({
  flag: '--init',
  help: 'write a commented migration file, from the options below',
})

export const INIT_SOURCE = row({
  flag: '--source <name>',
  help: 'with --init: the vendor whose export is run, or files that are there already',
})

const days: Parse<string> = (text) => {
  const [from = '', to, ...more] = text.split('..')
  const [start, end] = [utcTime(from), to ? utcTime(to) : undefined]
  if (to === undefined || more.length > 0 || (end !== undefined && end <= start))
    throw new RangeError('expected two days such as 2023-01-01..2024-01-01, or 2023-01-01.. to go on daily')
  return text
}

export const INIT_DAYS = row({
  flag: '--days <from..to>',
  parse: days,
  help: 'with --init: the first day, and the first that is left out; 2023-01-01.. goes on daily',
})

export const INIT_STORE = row({
  flag: '--store <place>',
  help: 'with --init: where all is kept: a folder, or s3://bucket/prefix',
})
