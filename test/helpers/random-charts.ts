import type { ChartFilter, ChartQuery } from '../../src/charts/chart.ts'
import type { TestEvent } from './events.ts'

/** The properties of these events, and one that none has. */
export const CHART_PROPERTIES = ['plan', 'price', 'note']

const DAY = 86_400_000
const PLANS = ['free', 'pro', 'Pro plus', '', "o'clock", 'grüße "ß"', null, undefined, true, ['a', 1]]
const PRICES = [1, 2.5, '3', 'none', null, undefined, 1e3, -4, 0, '']
const NAMES = ['a', 'b', "c's"]

/** Histories whose people join each other, and questions about them. */
export function chartMaker(random: () => number) {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const many = <T>(count: number, make: (at: number) => T): T[] =>
    Array.from({ length: count }, (_, at) => make(at))

  function history(count: number, start: number): TestEvent[] {
    const ids = many(12, (at) => `${at % 3 === 0 ? 'anon' : 'user'}-${at}`)
    const times = many(count, () => start + Math.floor(random() * 45 * DAY)).sort((a, b) => a - b)
    return times.map((at, n): TestEvent => {
      const join = random()
      const event =
        join < 0.02
          ? '$identify'
          : join < 0.025
            ? '$create_alias'
            : join < 0.03
              ? '$merge_dangerously'
              : pick(NAMES)
      const other = random() < 0.1 ? pick(['anonymous', '', 'null']) : pick(ids)
      return {
        uuid: `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
        event,
        distinct_id: pick(ids),
        timestamp: `${new Date(at).toISOString().slice(0, 23)}000Z`,
        properties: {
          plan: pick(PLANS),
          price: pick(PRICES),
          ...(event === '$identify' && { $anon_distinct_id: other }),
          ...((event === '$create_alias' || event === '$merge_dangerously') && { alias: other }),
          ...(random() < 0.05 && { $process_person_profile: false }),
        },
      }
    })
  }

  function filters(): ChartFilter[] {
    if (random() < 0.5) return []
    const property = pick(['plan', 'price'])
    const operator = pick(['is', 'is_not', 'contains', 'set', 'not_set', 'over', 'under'] as const)
    if (operator === 'set' || operator === 'not_set') return [{ property, operator, values: [] }]
    const isNumber = operator === 'over' || operator === 'under'
    const values = isNumber ? [pick(['0', '1', '2.5'])] : [pick(['free', 'pro', "o'clock", 'true']), 'ß']
    return [{ property: isNumber ? 'price' : property, operator, values }]
  }

  const events = () => ({ event: pick([...NAMES, null, 'never']), where: filters() })

  function question(): ChartQuery {
    const kind = random()
    if (kind < 0.1) return { kind: 'people' }
    if (kind < 0.25)
      return {
        kind: 'funnel',
        steps: many(1 + Math.floor(random() * 3), events),
        windowDays: pick([0.5, 3, 20]),
      }
    if (kind < 0.4)
      return {
        kind: 'retention',
        start: events(),
        back: events(),
        period: pick(['day', 'week', 'month'] as const),
        periods: 4,
      }
    const measure = pick(['count', 'unique', 'sum', 'average'] as const)
    return {
      kind: 'series',
      ...events(),
      measure,
      property: measure === 'sum' || measure === 'average' ? 'price' : null,
      interval: pick(['day', 'week', 'month', 'whole'] as const),
      by: random() < 0.3 ? 'plan' : null,
    }
  }
  return { history, question, pick, many }
}
