import { USUAL_REJECT_RATIO } from '../record/rules.ts'
import { row } from './row.ts'
import { type Parse, ratio, text, timeZone, wholeNumber } from './values.ts'

// How records become events.

/** The command adds the presets as its choices. */
export const PRESET = row({
  flag: '--preset <name>',
  otherwise: 'as the mapping file says',
  help: 'mapping for the source: a built-in one, or your own (docs/presets.md)',
})

export const MAP = row({ flag: '--map <file>', help: 'mapping file (YAML or JSON) that adds to the preset' })

export const SOURCE_TIMEZONE = row({
  flag: '--source-timezone <zone>',
  parse: timeZone,
  otherwise: 'as the mapping file says, else UTC',
  help: 'zone of times without an offset, e.g. America/New_York',
})

export const GROUP_TYPE = row({
  flag: '--group-type <name>',
  otherwise: 'as the mapping file says, else the preset',
  help: 'type of groups whose records name none, e.g. company',
})

export const PERSON_PROPERTIES = row({
  flag: '--person-properties <choice>',
  choices: ['set', 'set_once', 'drop'],
  otherwise: 'as the mapping file says, else set',
  help: 'what happens to person properties',
})

/** Transform has no default for it: its mapping file decides. */
export const BIG_INTEGERS = row({
  flag: '--big-integers <choice>',
  shown: 'seldom',
  choices: ['keep', 'string'],
  default: 'keep',
  help: 'numbers over 2^53 or 17 digits, which the service rounds: as they are, or as strings',
})

export const WITH = row({
  flag: '--with <switch...>',
  help: "the preset's switches, e.g. keep-session-events; an unknown one lists them",
})

export const JOIN = row({
  flag: '--join <table=path...>',
  help: 'a table that the preset reads records together with, e.g. users=users.csv; files, folders, s3://…',
})

export const IMPORT_ID_ROW = row({
  flag: '--import-id <name>',
  shown: 'seldom',
  otherwise: "the preset's own, the same in every run",
  help: 'what events carry as $import_job_id, by which verify tells them from others',
})

const nameOrNone: Parse<string | false> = (value) => value !== 'none' && text(value)

/** Of what makes events: `none` gives them no id. */
export const IMPORT_ID_OR_NONE = row({
  ...IMPORT_ID_ROW,
  parse: nameOrNone,
  help: `${IMPORT_ID_ROW.help}; none for no id`,
})

export const MAX_REJECT_RATIO = row({
  flag: '--max-reject-ratio <n>',
  parse: ratio,
  default: `${USUAL_REJECT_RATIO}`,
  help: 'stop if a larger share of the first 10,000 records is rejected',
})

export const WORKERS = row({
  flag: '--workers <n>',
  shown: 'seldom',
  parse: wholeNumber(1),
  otherwise: 'one per core, fewer for a small input',
  help: 'worker threads',
})
