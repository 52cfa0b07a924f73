import type { AroundCall, AroundCohort, AroundSource, Untold } from '../../../src/around/index.ts'
import type { ChartSpan } from '../../../src/charts/index.ts'
import { amplitudeAround } from '../../../src/sources/amplitude/amplitude-around.ts'
import type { Dashboard } from '../../../src/sources/amplitude/asked-dashboard.ts'
import { savedChart } from '../../../src/sources/amplitude/saved-chart.ts'
import { funnelCells } from '../../../src/sources/amplitude/user-funnel.ts'
import { retentionCells } from '../../../src/sources/amplitude/user-retention.ts'
import type { PieceCall } from '../../../src/sources/source.ts'
import type { VendorClient } from '../../../src/sources/vendor-client.ts'
import { says } from '../kit/action.ts'
import type { Received } from '../kit/received.ts'
import { all, type Endpoint, json, Verdict } from './endpoint.ts'
import { vendor } from './vendors.ts'

const REFUSED = 'goes on with a reason'
const SPAN: ChartSpan = { first: '2024-01-01', last: '2024-01-03' }
const STEP = { event: 'Zürich', where: [] }

const dashboard = (client: VendorClient, { signal, retry, note }: PieceCall): Dashboard => {
  const names = {
    events: (name: string | null) => (name === null ? [] : [name]),
    property: (name: string) => name,
    finalEvent: (name: string) => name,
    finalProperty: (name: string) => name,
  }
  return { client, retry, names, call: { signal, note, names } as Dashboard['call'] }
}

const DAYS = ['2024-01-01', '2024-01-02', '2024-01-03']
const SERIES = { series: [[3, 4, 5]], seriesLabels: ['Zürich'], xValues: DAYS }
/** Users did it once on each day, so that the numbers tell events from people. */
const counted = (path: string) => (path.includes('m=uniques') ? [1, 1, 1] : [3, 4, 5])

const CHARTS: readonly Endpoint[] = [
  vendor(
    'Amplitude: a saved chart',
    /^GET \/api\/3\/chart\//,
    ({ path }: Received) => json({ data: { ...SERIES, series: [counted(path)] } }),
    async (client, call) => {
      const saved = await savedChart(dashboard(client, call), 'c1')
      // A chart of another kind has an answer of another form.
      return saved.charts.length === 0 ? new Verdict(REFUSED) : saved
    },
  ),
  vendor(
    'Amplitude: a funnel',
    /^GET \/api\/2\/funnels\?/,
    { data: [{ cumulativeRaw: [4, 2] }] },
    (client, call) =>
      funnelCells(dashboard(client, call), { kind: 'funnel', steps: [STEP, STEP], windowDays: 7 }, SPAN),
  ),
  vendor(
    'Amplitude: retention',
    /^GET \/api\/2\/retention\?/,
    {
      data: {
        series: [
          {
            dates: ['Jan 1'],
            values: Object.fromEntries(
              ['Jan 1', 'Jan 2', 'Jan 3'].map((day) => [day, [{ count: 2, outof: 4 }]]),
            ),
          },
        ],
      },
    },
    (client, call) =>
      retentionCells(
        dashboard(client, call),
        { kind: 'retention', start: STEP, back: STEP, period: 'day', periods: 2 },
        SPAN,
      ),
  ),
]

const COHORT: AroundCohort = { id: 'c', name: 'Zürich', file: null, members: null }
const STATE = { request_id: 'r', cohort_id: 'c', async_status: 'JOB COMPLETED' }
const FILE = {
  ...says(200, '', { 'Content-Type': 'text/csv' }),
  body: Buffer.from('amplitude_id,user_id\n901,Zürich\n902,b\n'),
}

/** Right answers, by the end of a path. */
const ANSWERS: readonly (readonly [path: RegExp, answer: unknown])[] = [
  [/taxonomy\/category$/, { success: true, data: [{ id: 1, name: 'Growth' }] }],
  [
    /taxonomy\/event\?/,
    { success: true, data: [{ event_type: 'Zürich', category: { name: 'Growth' }, description: 'x' }] },
  ],
  [
    /taxonomy\/event-property/,
    { success: true, data: [{ event_property: 'plan', description: 'x', type: 'string' }] },
  ],
  [
    /taxonomy\/user-property/,
    { success: true, data: [{ user_property: 'gp:age', description: 'x', type: 'number' }] },
  ],
  [
    /taxonomy\/group-property/,
    { success: true, data: [{ group_property: 'seats', description: 'x', type: 'number' }] },
  ],
  [
    /api\/3\/annotations$/,
    { data: [{ id: 1, label: 'Zürich', start: '2024-01-31T07:00:00+00:00', details: 'x' }] },
  ],
  [/api\/3\/cohorts$/, { cohorts: [{ id: 'c', name: 'Zürich', description: 'x' }] }],
  [/cohorts\/request-status\/r$/, STATE],
]

function answer({ path }: Received) {
  const right = ANSWERS.find(([end]) => end.test(path))?.[1]
  if (right !== undefined) return json(right)
  if (path.endsWith('/cohorts/request/c')) return json({ request_id: 'r', cohort_id: 'c' }, { status: 202 })
  if (path.endsWith('/cohorts/request/r/file')) return FILE
  return says(404, 'no such page')
}

/** Something that a pull asks. What it is refused alone becomes a reason, or a note, and others are asked. */
function around(
  name: string,
  struck: RegExp,
  ask: (source: AroundSource, call: AroundCall) => Promise<unknown>,
  more: Partial<Endpoint> = {},
): Endpoint {
  const asked = async (client: VendorClient, { signal, retry }: PieceCall) => {
    const notes: string[] = []
    const asker = { client, retry }
    const source = amplitudeAround('a test', { taxonomy: asker, cohorts: asker, around: asker })
    const told = await ask(source, { signal, note: (text) => void notes.push(text) })
    if (notes.some((note) => note.includes('not told'))) return new Verdict(REFUSED)
    return isUntold(told) ? new Verdict(REFUSED) : told
  }
  return vendor(`Amplitude: ${name}`, struck, answer, asked, {
    ends: new RegExp(`^403: ${REFUSED}$`),
    ...more,
  })
}

const isUntold = (told: unknown): told is Untold =>
  typeof told === 'object' && told !== null && 'untold' in told

async function members(source: AroundSource, call: AroundCall): Promise<unknown> {
  const pages = await source.members(COHORT, call)
  return isUntold(pages) ? pages : (await all(pages)).flat()
}

const AROUND: readonly Endpoint[] = [
  around('a list of events', /^GET \/api\/2\/taxonomy\/event\?/, (source, call) => source.read.events(call)),
  around('properties', /^GET \/api\/2\/taxonomy\/user-property\?/, (source, call) =>
    source.read.properties(call),
  ),
  around('annotations', /^GET \/api\/[23]\/annotations$/, (source, call) => source.read.annotations(call)),
  around('cohorts', /^GET \/api\/3\/cohorts$/, (source, call) => source.read.cohorts(call)),
  around('an order of members', /^GET \/api\/5\/cohorts\/request\/c$/, members),
  around('a state of members', /^GET \/api\/5\/cohorts\/request-status\/r$/, members),
  around('a file of members', /^GET \/api\/5\/cohorts\/request\/r\/file$/, members),
]

/** What Amplitude is asked besides an export and its report. */
export const AMPLITUDE_ASKED: readonly Endpoint[] = [...CHARTS, ...AROUND]
