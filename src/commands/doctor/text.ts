import type { Finding } from '../../checks/finding.ts'
import { COLUMNS, fold } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
import { plural } from '../../text/words.ts'
import type { DoctorResult } from '../results.ts'

const LEVEL_WIDTH = 9
const CHECK_WIDTH = 14
/** Under the text of a finding. */
const INDENT = ' '.repeat(2 + LEVEL_WIDTH + CHECK_WIDTH)

/** The findings as lines of at most 80 columns, each with its cause and its remedy under it. */
export function findingLines(findings: DoctorResult['findings']): string[] {
  return findings.flatMap(({ check, level, text, cause, remedy }) => {
    const first = `  ${level.padEnd(LEVEL_WIDTH)}${check.padEnd(CHECK_WIDTH)}`
    return [
      ...fold(visible(text), INDENT, first),
      ...(cause === null ? [] : fold(visible(cause), `${INDENT}  `, `${INDENT}  `)),
      ...(remedy === null ? [] : fold(visible(remedy), `${INDENT}  `, `${INDENT}> `)),
    ]
  })
}

/** How many findings there are of each level: `2 errors, 1 warning, 9 ok`. */
export function findingCounts(findings: readonly Pick<Finding, 'level'>[]): string {
  const words = (['error', 'warning', 'note', 'ok'] as const).flatMap((level) => {
    const found = findings.filter((one) => one.level === level).length
    if (found === 0) return []
    return [level === 'ok' ? `${found} ok` : plural(found, level)]
  })
  return words.join(', ')
}

/** The report of `doctor`. */
export function doctorText({ findings }: DoctorResult): string {
  const lines = [`doctor: ${findingCounts(findings)}`.slice(0, COLUMNS), ...findingLines(findings)]
  return `${lines.join('\n')}\n`
}
