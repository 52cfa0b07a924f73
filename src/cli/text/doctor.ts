import { FINDING_LEVELS, type Finding, hasErrors } from '../../checks/index.ts'
import type { DoctorResult } from '../../jobs/results.ts'
import { COLUMNS, fold, plural, visible } from '../../text/index.ts'

const LEVEL_WIDTH = 9
const CHECK_WIDTH = 14
/** Under the text of a finding. */
const INDENT = ' '.repeat(2 + LEVEL_WIDTH + CHECK_WIDTH)

/** The findings as lines of at most 80 columns, each with its cause and its remedy under it. */
export function findingLines(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ kind, level, text, cause, remedy }) => {
    const first = `  ${level.padEnd(LEVEL_WIDTH)}${kind.padEnd(CHECK_WIDTH)}`
    return [
      ...fold(visible(text), INDENT, first),
      ...(cause === undefined ? [] : fold(visible(cause), `${INDENT}  `, `${INDENT}  `)),
      ...(remedy === undefined ? [] : fold(visible(remedy), `${INDENT}  `, `${INDENT}> `)),
    ]
  })
}

/** How many findings there are of each level: `2 errors, 1 warning, 9 ok`. */
export function findingCounts(findings: readonly Pick<Finding, 'level'>[]): string {
  const counts = countsOf(findings)
  const words = [...FINDING_LEVELS].reverse().flatMap((level) => {
    const found = counts[level]
    if (found === 0) return []
    return [level === 'ok' ? `${found} ok` : plural(found, level)]
  })
  return words.join(', ')
}

/** The report of `doctor`. */
export function doctorReport(findings: readonly Finding[]): string {
  const lines = [`doctor: ${findingCounts(findings)}`.slice(0, COLUMNS), ...findingLines(findings)]
  return `${lines.join('\n')}\n`
}

/** The report as JSON, as the result has it. */
export function doctorJson(findings: readonly Finding[]): DoctorResult {
  return {
    version: 1,
    command: 'doctor',
    ready: !hasErrors(findings),
    counts: countsOf(findings),
    findings: findings.map(({ kind, level, text, cause, remedy }) => {
      return { check: kind, level, text, cause: cause ?? null, remedy: remedy ?? null }
    }),
  }
}

function countsOf(findings: readonly Pick<Finding, 'level'>[]): DoctorResult['counts'] {
  const count = (wanted: Finding['level']) => findings.filter(({ level }) => level === wanted).length
  return { ok: count('ok'), note: count('note'), warning: count('warning'), error: count('error') }
}
