import { type Chart, type ChartAnswer, type ChartSpan, sixDigits, type VendorNames } from '../charts/index.ts'
import { answerCharts, type CellsByChart, topValues } from './answer-charts.ts'
import { CAUSES, type DifferenceCause } from './causes.ts'
import type { ChartTables } from './chart-tables.ts'
import { type FunnelRule, NEWEST_TRY } from './chart-view.ts'
import { CellSheet, Comparable } from './comparable.ts'
import { EVENTS_TABLE } from './read-datasets.ts'
import { RECORDS_TABLE } from './read-records.ts'
import { type SideAnswers, type VendorZone, type VendorZones, vendorZones } from './vendor-zone.ts'
import { eventsView, recordStages, type ViewStage } from './views.ts'

/** The side of a vendor. */
export interface VendorAnswers {
  readonly answers: SideAnswers
  readonly names: Pick<VendorNames, 'events'>
  /** The zone of its days, if the user told it. */
  readonly zone: string | undefined
  readonly rule: FunnelRule
}

/** What a cell of PostHog's answer is made of besides the datasets' events. */
export interface ArrivedParts {
  readonly at: string
  readonly by: string | null
  readonly others: number
  readonly doubled: number
}

/** The side of PostHog. */
export interface ServiceAnswers {
  readonly answers: SideAnswers
  readonly zone: string
  /** By chart, where it is known. */
  readonly parts: ReadonlyMap<string, readonly ArrivedParts[]>
  /** Events from this instant on (microseconds) are not sent yet; null if all are. */
  readonly sentUntil: number | null
}

/** What is to be explained. The tables are filled. */
export interface ChainOrder {
  readonly charts: readonly Chart[]
  readonly span: ChartSpan
  readonly properties: readonly string[]
  readonly vendor: VendorAnswers | undefined
  readonly service: ServiceAnswers | undefined
  /** Whether the raw records were read. */
  readonly hasRecords: boolean
}

/** One number of a chart as each side has it, and what the difference is made of. */
export interface ExplainedCell {
  readonly at: string
  readonly by: string | null
  /** Null for a side without an answer. */
  readonly vendor: number | null
  readonly dataset: number | null
  readonly posthog: number | null
  /** What each cause adds on the way from the first number that is there to the last; causes that add nothing are left out. */
  readonly parts: ReadonlyArray<readonly [cause: DifferenceCause, amount: number]>
  /** The sizes of the parts that nobody has a reason for, added up. */
  readonly unexplained: number
}

/** All charts, explained. */
export interface Explained {
  readonly cells: ReadonlyMap<string, readonly ExplainedCell[]>
  /** Undefined where no vendor is asked. */
  readonly zone: VendorZone | undefined
}

/** Answers of the tables on the way from the vendor to PostHog. */
interface Step {
  readonly cause: DifferenceCause
  readonly cells: CellsByChart
}

/**
 * Answers all charts from the dataset, and splits what differs between the sides into causes: each view of the events
 * differs from the one before in one thing, so the difference of their answers is that thing's. The parts of a cell add up to
 * the difference of its numbers, for people and funnels as for counts.
 */
export async function explainCharts(tables: ChartTables, order: ChainOrder): Promise<Explained> {
  const { charts, span, properties, vendor, service } = order
  const zones = vendor && (await zonesOf(tables, order, vendor))
  const zone = zones?.events.zone ?? service?.zone ?? 'UTC'
  const values = await topValues(tables, eventsView(properties, zone), { charts, span, properties })
  const stages = stagesOf(order, zones && { records: zones.records, events: zones.events.zone }, zone)
  const steps = await answered(tables, stages, { charts, span, properties, values })
  const cells = charts.map((chart) => {
    const comparable = new Comparable(chart, span, values.get(chart.name))
    return [chart.name, explainedCells(chart, { comparable, steps, order })] as const
  })
  return { cells: new Map(cells), zone: zones?.events }
}

function zonesOf(
  tables: ChartTables,
  { charts, hasRecords }: ChainOrder,
  vendor: VendorAnswers,
): Promise<VendorZones> {
  const events = {
    table: EVENTS_TABLE,
    name: 'name',
    instant: 'instant',
    condition: 'NOT generated',
    names: (final: string) => [final],
  }
  const records = {
    table: RECORDS_TABLE,
    name: 'vname',
    instant: 'vinstant',
    condition: 'counted AND NOT vcopied AND vinstant IS NOT NULL',
    names: (final: string) => vendor.names.events(final),
  }
  const asked = { charts, answers: vendor.answers, zone: vendor.zone }
  return vendorZones(tables, asked, { events, records: hasRecords ? records : undefined })
}

/** The index of the dataset's own answer is that of the last stage before `zone`. */
function stagesOf(
  { properties, vendor, service, hasRecords }: ChainOrder,
  zones: { readonly records: string; readonly events: string } | undefined,
  zone: string,
): ViewStage[] {
  const isGenerated = `SELECT count(*) FROM ${EVENTS_TABLE} WHERE generated`
  const own = eventsView(properties, zone)
  const rule = vendor?.rule ?? NEWEST_TRY
  const fromVendor: ViewStage[] =
    vendor && zones
      ? [
          ...(hasRecords ? recordStages(properties, { names: vendor.names, rule, zones }) : []),
          {
            cause: hasRecords ? 'dataset' : 'vendor',
            view: { ...eventsView(properties, zone, 'NOT generated'), rule },
          },
          { cause: 'generated', view: { ...own, rule }, changes: isGenerated },
        ]
      : []
  const { tries, ends, returns } = rule
  const isSameRule = tries === NEWEST_TRY.tries && ends === NEWEST_TRY.ends && returns === undefined
  const dataset: ViewStage = { cause: 'rules', view: own, ...(isSameRule && vendor && { changes: NOTHING }) }
  if (!service) return [...fromVendor, dataset]
  const { sentUntil } = service
  const sent = sentUntil === null ? 'true' : `instant < ${sentUntil}`
  return [
    ...fromVendor,
    dataset,
    {
      cause: 'zone',
      view: eventsView(properties, service.zone),
      ...(service.zone === zone && { changes: NOTHING }),
    },
    {
      cause: 'pending',
      view: eventsView(properties, service.zone, sent),
      ...(sentUntil === null && { changes: NOTHING }),
    },
  ]
}

const NOTHING = 'SELECT 0'

async function answered(
  tables: ChartTables,
  stages: readonly ViewStage[],
  asked: Parameters<typeof answerCharts>[2],
): Promise<Step[]> {
  const steps: Step[] = []
  for (const { cause, view, changes } of stages) {
    const before = steps.at(-1)
    const [[count] = [1]] = before && changes !== undefined ? await tables.rows(changes) : []
    const cells = before && Number(count) === 0 ? before.cells : await answerCharts(tables, view, asked)
    steps.push({ cause, cells })
  }
  return steps
}

interface Explaining {
  readonly comparable: Comparable
  readonly steps: readonly Step[]
  readonly order: ChainOrder
}

function explainedCells(chart: Chart, { comparable, steps, order }: Explaining): ExplainedCell[] {
  const { name } = chart
  const [vendor, service] = [answerOf(order.vendor, name), answerOf(order.service, name)]
  comparable.limitTo([vendor?.cells, service?.cells])
  const at = steps.findIndex(({ cause }) => cause === 'rules')
  const way: Array<readonly [DifferenceCause | undefined, CellSheet]> = []
  if (vendor) way.push([undefined, comparable.sheet(vendor.cells)])
  for (const [place, { cause, cells }] of steps.entries()) {
    if ((!vendor && place < at) || (!service && place > at)) continue
    way.push([way.length === 0 ? undefined : cause, comparable.sheet(cells.get(name) ?? [])])
  }
  const dataset = comparable.sheet(steps[at]!.cells.get(name) ?? [])
  const posthog = service && comparable.sheet(service.cells)
  if (posthog)
    way.push(
      ...arrivedWay(way.at(-1)![1], comparable, { posthog, parts: order.service!.parts.get(name) ?? [] }),
    )
  return CellSheet.places(way.map(([, sheet]) => sheet)).map(({ at, by }) => {
    const parts: Array<readonly [DifferenceCause, number]> = []
    for (const [place, [cause, sheet]] of way.entries()) {
      if (cause === undefined) continue
      const amount = sixDigits(sheet.value(at, by) - way[place - 1]![1].value(at, by))
      if (amount !== 0) parts.push([cause, amount])
    }
    const open = parts.filter(([cause]) => !CAUSES[cause].isExplained)
    return {
      at,
      by,
      vendor: vendor ? way[0]![1].value(at, by) : null,
      dataset: dataset.value(at, by),
      posthog: posthog ? posthog.value(at, by) : null,
      parts,
      unexplained: sixDigits(open.reduce((sum, [, amount]) => sum + Math.abs(amount), 0)),
    }
  })
}

/** From the events that are sent to PostHog's number: what others sent, what counts twice, and the rest. */
function arrivedWay(
  sent: CellSheet,
  comparable: Comparable,
  { posthog, parts }: { readonly posthog: CellSheet; readonly parts: readonly ArrivedParts[] },
): Array<readonly [DifferenceCause, CellSheet]> {
  const of = (part: 'others' | 'doubled') =>
    comparable.sheet(parts.map(({ at, by, [part]: value }) => ({ at, by, value })))
  const others = sent.plus(of('others'))
  return [
    ['others', others],
    ['doubled', others.plus(of('doubled'))],
    ['service', posthog],
  ]
}

function answerOf(
  side: { readonly answers: SideAnswers } | undefined,
  chart: string,
): ChartAnswer | undefined {
  const answer = side?.answers.get(chart)
  return answer === undefined || 'unanswered' in answer ? undefined : answer
}
