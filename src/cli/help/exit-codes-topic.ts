import { EXITS } from '../../errors.ts'
import { folded } from '../../text/index.ts'

const INDENT = ' '.repeat(18)

const HEAD = `What the exit code of a command means to a script.

  code  name
`

const FOOT = `
Every exit but 0 and 1 prints how to go on. With 5, 129, 130 and 143 the same
command goes on where it was; with 7 it does when the other run has ended. With
2, 4 and 6 a person must change something first. docs/exit-codes-and-json.md
says what each command means by them, and docs/unattended.md what a scheduler
should do.
`

/** `help exit-codes`. */
export function exitCodesTopic(): string {
  const rows = Object.entries(EXITS).map(([name, { code, meaning }]) => {
    const head = `  ${String(code).padEnd(6)}${name}`.padEnd(INDENT.length)
    return folded(meaning.replaceAll('`', ''), INDENT, head)
  })
  return `${HEAD}${rows.join('')}${FOOT}`
}
