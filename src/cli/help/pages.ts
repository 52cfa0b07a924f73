import { EXITS } from '../../errors.ts'
import { ENVIRONMENT, hasFile, VARIABLES } from '../../options/environment.ts'
import { helpOf, type Row } from '../../options/row.ts'
import { CONFIG } from '../../options/service-rows.ts'
import {
  DEBUG,
  LOG_FORMAT,
  METRICS_FILE,
  NOTIFY_WEBHOOK,
  QUIET,
  VERBOSE,
} from '../../options/telemetry-rows.ts'
import { folded } from '../../text/fold.ts'

const WIDTH = 25
const INDENT = ' '.repeat(WIDTH + 1)

const ROWS: readonly Row[] = [
  ...[QUIET, VERBOSE, DEBUG, LOG_FORMAT, METRICS_FILE, NOTIFY_WEBHOOK],
  ...[CONFIG],
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

const NAME_WIDTH = Math.max(...VARIABLES.map(({ name }) => name.length)) + 4

const ENVIRONMENT_HEAD = `Environment variables that posthaul reads.

An option on the command line is stronger than its variable, and a variable is
stronger than the config file. An empty variable counts as none. Of those with
a *, the name with _FILE names a file (chmod 600) that holds the value.
`

/** `help environment`. */
export function environmentTopic(): string {
  const sections = ENVIRONMENT.map(({ title, variables }) => {
    const lines = variables.map((variable) => {
      const name = `  ${variable.name}${hasFile(variable) ? ' *' : ''}`
      return folded(variable.help, ' '.repeat(NAME_WIDTH), name.padEnd(NAME_WIDTH))
    })
    return `\n${title}:\n${lines.join('')}`
  })
  return `${ENVIRONMENT_HEAD}${sections.join('')}`
}

const CODE_INDENT = ' '.repeat(18)

const CODES_HEAD = `What the exit code of a command means to a script.

  code  name
`

const CODES_FOOT = `
Every exit but 0 and 1 prints how to go on. With 5, 129, 130 and 143 the same
command goes on where it was; with 7 it does when the other run has ended. With
2, 4 and 6 a person must change something first. docs/exit-codes-and-json.md
says what each command means by them, and docs/unattended.md what a scheduler
should do.
`

/** `help exit-codes`. */
export function exitCodesTopic(): string {
  const rows = Object.entries(EXITS).map(([name, { code, meaning }]) => {
    const head = `  ${String(code).padEnd(6)}${name}`.padEnd(CODE_INDENT.length)
    return folded(meaning.replaceAll('`', ''), CODE_INDENT, head)
  })
  return `${CODES_HEAD}${rows.join('')}${CODES_FOOT}`
}
