import type { CompareResult } from '../../jobs/index.ts'
import { amountText, COLUMNS, folded, groupedBy, number, plural, Table, visible } from '../../text/index.ts'

type ChartRow = CompareResult['charts'][number]
type CauseRow = CompareResult['causes'][number]

/** Rows of charts that are shown. The JSON and the page have all. */
const MOST_CHARTS = 30

const SIDES = { mixpanel: 'Mixpanel', amplitude: 'Amplitude', posthog: 'other project' } as const

/** What a comparison found: what is unexplained, a row a chart, and why the numbers differ. */
export function compareText(result: CompareResult): string {
  const { charts, causes } = result
  const told = charts.filter(({ unexplained, causes: of }) => unexplained.amount > 0 || of.length > 0)
  const rows = (told.length > 0 ? told : charts).slice(0, MOST_CHARTS)
  return [
    headline(result),
    folded(comparedWords(result), '    ', '  '),
    '\n',
    chartTable(result, rows),
    restWords(charts.length - rows.length, charts.length - told.length),
    ...(causes.length === 0 ? [] : ['\nWhy the numbers differ:\n', ...causes.map(causeWords)]),
    ...unansweredWords(charts),
    ...result.notes.map((note) => folded(visible(note), '    ', '  note: ')),
  ].join('')
}

function headline({ unexplained, equal, charts }: CompareResult): string {
  if (unexplained === null) {
    const what = charts.length === 0 ? 'nothing was compared' : 'every difference is explained'
    return folded(`compare: ${what}: unexplained 0`, '  ', '')
  }
  const { chart, amount, share, charts: beyond } = unexplained
  const most = `unexplained: ${plain(amount)} (${percent(share)}) of ${visible(chart)}`
  const more = equal
    ? 'within the tolerance'
    : `${plural(beyond, 'chart')} of ${number(charts.length)} ${beyond === 1 ? 'is' : 'are'} beyond the tolerance`
  return folded(`compare: ${most}; ${more}`, '  ', '')
}

function comparedWords({ first, last, zones, with: vendor, charts }: CompareResult): string {
  const zone = (name: string | null) => (name === null ? '' : ` (${visible(name)})`)
  const sides = [
    ...(vendor === null ? [] : [`${sideName(vendor)}${zone(zones.vendor)}`]),
    'the dataset',
    `PostHog${zone(zones.posthog)}`,
  ]
  return `${plural(charts.length, 'chart')}, ${first} to ${last}: ${sides.join(', ')}`
}

function sideName(vendor: string): string {
  return Object.hasOwn(SIDES, vendor) ? SIDES[vendor as keyof typeof SIDES] : vendor
}

function chartTable({ with: vendor }: CompareResult, rows: readonly ChartRow[]): string {
  const side = 'right' as const
  const table = new Table<ChartRow>(
    [
      { title: 'chart', cell: ({ name }) => name },
      ...(vendor === null
        ? []
        : [
            {
              title: sideName(vendor),
              cell: ({ numbers }: ChartRow) => plain(numbers.vendor),
              side,
              whole: true,
            },
          ]),
      { title: 'dataset', cell: ({ numbers }) => plain(numbers.dataset), side, whole: true },
      { title: 'PostHog', cell: ({ numbers }) => plain(numbers.posthog), side, whole: true },
      { title: 'unexplained', cell: unexplainedCell, side, whole: true },
    ],
    rows,
    COLUMNS,
  )
  return [table.head(), ...rows.map((row) => table.row(row)), ''].join('\n')
}

function unexplainedCell({ unexplained: { amount, share }, equal }: ChartRow): string {
  if (amount === 0) return '0'
  return `${plain(amount)} (${percent(share)})${equal ? '' : ' !'}`
}

function restWords(hidden: number, same: number): string {
  if (hidden === 0) return ''
  const words = `${plural(hidden, 'chart')} more: ${same === hidden ? 'the same on all sides' : 'see --json or --html'}`
  return folded(words, '    ', '  ')
}

function causeWords({ text, amount, charts, chart, example }: CauseRow): string {
  const by = example.by === null ? '' : `, ${visible(example.by)}`
  const where = `${signed(example.amount)} at ${visible(example.at)}${by} of ${visible(chart)}`
  return folded(`${plain(amount)}: ${text}; in ${plural(charts, 'chart')}, such as ${where}`, '    ', '  ')
}

/** Charts that a side could not be asked for, by the reason. */
function unansweredWords(charts: readonly ChartRow[]): string[] {
  const all = charts.flatMap(({ name, unanswered }) => unanswered.map((one) => ({ ...one, name })))
  const reasons = groupedBy(all, ({ side, why }) => `${side}: ${why}`)
  return [...reasons].map(([why, [first, ...more]]) => {
    const others = more.length === 0 ? '' : ` and ${number(more.length)} more`
    return folded(`not answered by ${visible(why)} (${visible(first!.name)}${others})`, '    ', '  ')
  })
}

/** A vendor's saved reports, a row each. */
export function reportListText({ reports, with: vendor }: CompareResult): string {
  if (!reports || reports.length === 0) return `${sideName(vendor ?? '')} tells of no saved reports\n`
  const table = new Table<NonNullable<CompareResult['reports']>[number]>(
    [
      { title: 'id', cell: ({ id }) => id, whole: true },
      { title: 'kind', cell: ({ kind }) => kind, whole: true },
      {
        title: 'compared',
        cell: ({ charts, why }) =>
          charts.length > 0 && why === null ? 'yes' : charts.length > 0 ? 'in part' : 'no',
        whole: true,
      },
      { title: 'name', cell: ({ name }) => name },
    ],
    reports,
    COLUMNS,
  )
  const why = reports.flatMap(({ id, why }) =>
    why === null ? [] : [folded(visible(`${id}: ${why}`), '    ', '  ')],
  )
  return [
    table.head(),
    ...reports.map((row) => table.row(row)),
    ...why.map((line) => line.trimEnd()),
    '',
  ].join('\n')
}

function plain(value: number | null): string {
  return value === null ? '–' : amountText(value)
}

function signed(value: number): string {
  return value > 0 ? `+${plain(value)}` : plain(value)
}

function percent(share: number): string {
  const of = share * 100
  return of > 0 && of < 0.01 ? '<0.01%' : `${Number(of.toFixed(of < 1 ? 2 : 1))}%`
}
