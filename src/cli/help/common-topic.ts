import { helpOf, type Row } from '../../options/row.ts'
import { ENDPOINT } from '../../options/rows/dataset-rows.ts'
import { GROUP_READABLE } from '../../options/rows/output-rows.ts'
import { CONFIG } from '../../options/rows/service-rows.ts'
import {
  DEBUG,
  HEALTHCHECK,
  LOG_FILE,
  LOG_FORMAT,
  METRICS_FILE,
  NOTIFY_WEBHOOK,
  QUIET,
  VERBOSE,
} from '../../options/rows/telemetry-rows.ts'
import { folded } from '../../text/fold.ts'

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
