import {
  CONFIG,
  DEBUG,
  ENDPOINT,
  GROUP_READABLE,
  HEALTHCHECK,
  helpOf,
  LOG_FILE,
  LOG_FORMAT,
  METRICS_FILE,
  NOTIFY_WEBHOOK,
  QUIET,
  type Row,
  VERBOSE,
} from '../../options/index.ts'
import { folded } from '../../text/index.ts'

const WIDTH = 25
const INDENT = ' '.repeat(WIDTH + 1)

const ROWS: readonly Row[] = [
  ...[QUIET, VERBOSE, DEBUG, LOG_FORMAT, LOG_FILE, METRICS_FILE, HEALTHCHECK, NOTIFY_WEBHOOK],
  ...[CONFIG, ENDPOINT, GROUP_READABLE],
]

/** `help common`. */
export function commonTopic(): string {
  const rows = ROWS.map((row) => {
    const flag = [row.short, row.flag].filter(Boolean).join(', ')
    return folded(helpOf(row), INDENT, `${`  ${flag}`.padEnd(WIDTH)} `)
  })
  return `Options that many commands have. \`posthaul <command> --help --all\` shows which.

${rows.join('')}`
}
