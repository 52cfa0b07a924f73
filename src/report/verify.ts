import type { Comparison, Difference } from '../audit/compare.ts'
import { fold } from './fold.ts'
import type { RowView } from './rows.ts'
import type { Column } from './table.ts'
import { number, plural } from './words.ts'

const COLUMNS: readonly Column<Difference>[] = [
  { title: 'day', cell: ({ day }) => day },
  { title: 'event', cell: ({ event }) => event },
  { title: 'here', cell: ({ here }) => here, side: 'right' },
  { title: 'service', cell: ({ there }) => there, side: 'right' },
  { title: 'difference', cell: ({ here, there }) => signed(there - here), side: 'right' },
]

/** Differences as a table. */
export const differencesView: RowView<Difference> = { tableColumns: () => COLUMNS, csvColumns: () => COLUMNS }

/** The result as JSON, `version` 1; docs/exit-codes-and-json.md has its shape. */
export function verifyJson(
  datasets: readonly string[],
  { days, here, there, others, differences }: Comparison,
) {
  return {
    version: 1,
    command: 'verify',
    datasets,
    equal: differences.length === 0,
    days,
    events: { here, service: there, others },
    differences: differences.map(({ day, event, here: ours, there: theirs }) => ({
      day,
      event,
      here: ours,
      service: theirs,
    })),
  }
}

/** The last lines: the totals, and what a difference can mean. */
export function verifySummary({ days, here, there, others, differences }: Comparison): string {
  const total = `${plural(here, 'event')} in ${plural(days, 'day')} here, ${number(there)} in the service`
  const lines: string[] = []
  if (differences.length === 0) lines.push(`verify: equal: ${total}`)
  else {
    const names = new Set(differences.map(({ event }) => event)).size
    lines.push(
      `verify: ${plural(differences.length, 'difference')} of ${plural(names, 'event name')}`,
      `  ${total}`,
    )
    if (differences.some(({ here: ours, there: theirs }) => theirs < ours)) {
      lines.push(
        '  fewer in the service: the import is not finished (see posthaul status), or the',
        '    service still processes its events: that takes minutes, after a large import',
        '    hours. Verify again later. If all events are missing, the project key was',
        '    mistyped, or it belongs to another project or region: the service',
        '    acknowledges events under any key.',
      )
    }
    if (differences.some(({ here: ours, there: theirs }) => theirs > ours)) {
      lines.push(
        '  more in the service: other events arrived as well: live ones, an earlier',
        '    import, or a dataset with the same days, such as mended rejects (name both)',
      )
    }
  }
  if (others > 0) {
    const text = `${plural(others, 'other event')} on these days, under names that the dataset does not have on that day`
    lines.push(...fold(text, '    ', '  besides: '))
  }
  return `${lines.join('\n')}\n`
}

function signed(value: number): string {
  return value > 0 ? `+${value}` : String(value)
}
