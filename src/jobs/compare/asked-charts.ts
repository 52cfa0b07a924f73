import type { Chart, ChartCall, ChartSide } from '../../charts/index.ts'
import { PosthaulError } from '../../errors.ts'
import { chartName } from './chart-name.ts'
import type { ComparedQuestion } from './questions-file.ts'

/** The charts of questions, and what of saved reports can't be compared, a sentence each. */
export interface AskedCharts {
  readonly charts: readonly Chart[]
  readonly notes: readonly string[]
}

/** Makes charts of questions: a saved report is read from the vendor. Code `usage` where there is nobody who has reports. */
export async function chartsOf(
  questions: readonly ComparedQuestion[],
  vendor: { readonly side: ChartSide; readonly call: ChartCall } | undefined,
): Promise<AskedCharts> {
  const charts: Chart[] = []
  const notes: string[] = []
  for (const question of questions) {
    if ('chart' in question) {
      charts.push(question.chart)
      continue
    }
    const { report, name } = question
    if (!vendor?.side.report) {
      throw new PosthaulError(`report ${report} can't be read: ${whoLacks(vendor?.side)}`, {
        code: 'usage',
        hint: 'add --with and the vendor that has it, or take the question out',
      })
    }
    const saved = await vendor.side.report(report, vendor.call)
    if (saved.why !== null) notes.push(`report ${report} (${saved.name}): ${saved.why}`)
    for (const chart of saved.charts)
      charts.push({ ...chart, name: reportName(name ?? saved.name, chart, saved.charts) })
  }
  return { charts: unique(charts), notes }
}

function whoLacks(side: ChartSide | undefined): string {
  return side === undefined ? 'no vendor is asked' : `${side.name} tells of no saved reports`
}

function reportName(name: string, { query }: Chart, all: readonly Chart[]): string {
  return all.length === 1 ? name : `${name}: ${chartName(query)}`
}

/** Reports can have the names of other questions: a number is put behind the second. */
function unique(charts: readonly Chart[]): Chart[] {
  const names = new Set<string>()
  return charts.map((chart) => {
    let name = chart.name
    for (let n = 2; names.has(name); n++) name = `${chart.name} (${n})`
    names.add(name)
    return { ...chart, name }
  })
}

/** The properties that charts ask for, each once. */
export function chartProperties(charts: readonly Chart[]): string[] {
  const found = charts.flatMap(({ query }) => {
    if (query.kind === 'people') return []
    const events =
      query.kind === 'series' ? [query] : query.kind === 'funnel' ? query.steps : [query.start, query.back]
    const filtered = events.flatMap(({ where }) => where.map(({ property }) => property))
    return query.kind === 'series' ? [query.property, query.by, ...filtered] : filtered
  })
  return [...new Set(found.filter((property) => property !== null))]
}
