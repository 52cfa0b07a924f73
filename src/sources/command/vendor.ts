import { required, row } from '../../options/row.ts'
import { duration } from '../../options/values.ts'
import { compileTimeFormat, timeWriter } from '../../record/time-format.ts'
import { HOW_ROWS, WHAT_ROWS } from '../export-options.ts'
import * as rows from '../export-rows.ts'
import type { VendorRow } from '../vendor-source.ts'

const RUN = row({
  flag: '--run <command>',
  help: 'what the shell runs for each window; its standard output is the part',
})

const COUNT = row({
  flag: '--count <command>',
  help: 'prints how many records the window has, and a checksum of them if it can; a part must have as many',
})

const FILE = row({
  flag: '--file <path>',
  help: 'a query: its copy for each window, with {from} and {to} filled in, is {file} in --run and --count',
})

const AS = row({
  flag: '--as <form>',
  choices: ['ndjson', 'csv', 'tsv'],
  default: 'ndjson',
  help: 'what --run prints: JSON lines, or a table with a header',
})

const WINDOW_FORMAT = row({
  flag: '--window-format <pattern>',
  parse: (text) => {
    compileTimeFormat(text)
    timeWriter(text)
    return text
  },
  otherwise: '2023-01-01T00:00:00Z',
  help: 'how {from} and {to} are written, as time_format of a mapping file has it: YYYY-MM-DD HH:mm:ss, epoch_ms',
})

const OVERLAP = row({
  flag: '--overlap <duration>',
  parse: duration,
  default: '1d',
  help: 'how long after its end a window still gets records: until then its count is asked again at the end of each run',
})

const RECOUNT = row({
  flag: '--recount',
  help: 'count all windows again, and read those again that have changed',
})

const WINDOW = { ...rows.WINDOW, default: '1d', help: 'length of a window, 1h to 1d' } as const

/** The options of `export command`, in the order of its help. */
export const COMMAND_ROWS = [
  ...WHAT_ROWS,
  required(RUN),
  COUNT,
  FILE,
  AS,
  WINDOW,
  WINDOW_FORMAT,
  OVERLAP,
  RECOUNT,
  rows.EXPORT_DRY_RUN,
  rows.REFETCH,
  ...HOW_ROWS.filter((one) => one !== rows.TIMEOUT && one !== rows.BASE_URL),
] as const

export const commandVendor = {
  name: 'command',
  description: 'what a command of yours prints: any database, any API',
  help: `
The command runs in your shell ($SHELL, or /bin/sh), once a window, never twice
at once. {from} and {to} in it are the window's ends, UTC, without that of the
end itself; POSTHAUL_FROM and POSTHAUL_TO in its environment are the same. What
it prints is a part only if it ends with 0 and its last line is whole; else it
runs again. A pipe fails where any of its commands does. Standard input is
closed. Lines that work, a page for each database: docs/databases.`,
  credentials: 'those that the command reads',
  signs: [],
  rows: COMMAND_ROWS,
  settings: [RUN, COUNT, FILE, AS, WINDOW, WINDOW_FORMAT, OVERLAP, RECOUNT],
  variables: {},
  // Only the user knows it.
  preset: () => undefined,
  firstLines: [
    '# what the shell runs for each window: it prints a JSON object a line',
    'run: psql "$SHOP" -AtX -v FETCH_COUNT=5000 -c "$(cat {file})"',
    'count: psql "$SHOP" -AtX -c "select count(*) from ($(cat {file})) rows"',
    '# the query, in which {from} and {to} are the ends of the window',
    'file: events.sql',
  ],
} as const satisfies VendorRow
