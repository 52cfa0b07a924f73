import type { Recognised } from '../presets/recognise.ts'

/** What is said of records that a preset would know if it ignored case: why, and what to do. */
export function otherCaseWords({ preset, title, members }: Recognised): {
  readonly why: string
  readonly remedy: string
} {
  const [name = ''] = members.filter((one) => !one.includes('.'))
  const shown = members.join(', ')
  return {
    why: `These look like records of ${title} whose names are in another case, such as ${name.toUpperCase()}: the preset ${preset} reads ${shown} as they are spelt here.`,
    remedy: `Export them under the vendor's own names (in SQL: SELECT ${name.toUpperCase()} AS "${name}", …), or, of CSV, say it in a mapping file: columns: { ${name.toUpperCase()}: ${name}, … } with preset: ${preset}.`,
  }
}
