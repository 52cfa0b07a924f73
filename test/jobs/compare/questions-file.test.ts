import { describe, expect, test } from 'vitest'
import { loadQuestions, parseQuestions } from '../../../src/jobs/compare/questions-file.ts'

const parse = (text: string) => parseQuestions(text, 'q.yaml')
const queries = (text: string) => parse(text).map((one) => ('chart' in one ? one.chart.query : one))

test('reads everything that can be asked', () => {
  const read = parse(`
$schema: ./questions.schema.json
questions:
  - name: Sign-ups
    count: signed_up
    where: { plan: [pro, team], trial: true, amount: { over: 10, under: 20 }, coupon: { set: false } }
    interval: week
  - unique: true
  - sum: amount
    event: purchase
    by: currency
    interval: whole
  - average: amount
  - funnel: { steps: [viewed, { event: purchase, where: { plan: pro } }], window_days: 7 }
  - retention: { start: signed_up, back: true, period: month, periods: 3 }
  - report: 1234
  - people: true
`)
  const series = { kind: 'series', where: [], property: null, interval: 'day', by: null }
  const where = (property: string, operator: string, ...values: string[]) => ({ property, operator, values })
  expect(read.map((one) => ('chart' in one ? [one.chart.name, one.chart.query] : one))).toEqual([
    [
      'Sign-ups',
      {
        ...series,
        event: 'signed_up',
        measure: 'count',
        interval: 'week',
        where: [
          where('plan', 'is', 'pro', 'team'),
          where('trial', 'is', 'true'),
          where('amount', 'over', '10'),
          where('amount', 'under', '20'),
          where('coupon', 'not_set'),
        ],
      },
    ],
    ['unique by day: all events', { ...series, event: null, measure: 'unique' }],
    [
      'sum of amount: purchase, by currency',
      { ...series, event: 'purchase', measure: 'sum', property: 'amount', interval: 'whole', by: 'currency' },
    ],
    [
      'average of amount by day: all events',
      { ...series, event: null, measure: 'average', property: 'amount' },
    ],
    [
      'funnel of 7 days: viewed, purchase where plan is pro',
      {
        kind: 'funnel',
        windowDays: 7,
        steps: [
          { event: 'viewed', where: [] },
          { event: 'purchase', where: [where('plan', 'is', 'pro')] },
        ],
      },
    ],
    [
      'retention by month: signed_up, all events',
      {
        kind: 'retention',
        start: { event: 'signed_up', where: [] },
        back: { event: null, where: [] },
        period: 'month',
        periods: 3,
      },
    ],
    { report: '1234', name: undefined },
    ['people', { kind: 'people' }],
  ])
})

test('says what it takes for granted', () => {
  expect(queries('questions: [{ funnel: { steps: [a, b] } }, { retention: { start: a } }]')).toMatchObject([
    { windowDays: 14 },
    { back: { event: 'a' }, period: 'day', periods: 8 },
  ])
})

describe('a question that can not be asked is refused with its line', () => {
  test.each([
    ['questions:\n  - coun: a', 'q.yaml:2:5: unknown key "coun"', 'did you mean "count"?'],
    ['questions:\n  - count: a\n    unique: a', 'q.yaml:2:5: questions.0: expected one of count', undefined],
    ['questions:\n  - name: a', 'q.yaml:2:5: questions.0: expected one of count', undefined],
    [
      'questions:\n  - funnel: { steps: [a, b] }\n    by: plan',
      'q.yaml:2:5: questions.0: by does not go with funnel',
      undefined,
    ],
    [
      'questions:\n  - count: a\n    event: b',
      'questions.0: event does not go with count',
      'it takes by, where, interval',
    ],
    [
      'questions:\n  - count: a\n  - count: a',
      'q.yaml:3:5: questions.1: "count by day: a" is asked twice',
      undefined,
    ],
    ['questions:\n  - funnel: { steps: [a] }', 'expected at least two steps', undefined],
    ['questions:\n  - count: a\n    interval: hour', 'q.yaml:3:15', undefined],
    ['questions:\n  - count: a\n    where: { plan: { like: a } }', 'q.yaml:3:', undefined],
    ['{}', 'questions: is missing', 'such as: - count: signed_up'],
  ])('%j', (text, message, hint) => {
    const refused = () => parse(text)
    expect(refused).toThrow(
      expect.objectContaining({ code: 'config', message: expect.stringContaining(message) }),
    )
    if (hint !== undefined)
      expect(refused).toThrow(expect.objectContaining({ hint: expect.stringContaining(hint) }))
  })
})

test('a file that is not there is said to be', async () => {
  await expect(loadQuestions('/no/q.yaml')).rejects.toMatchObject({
    code: 'config',
    message: 'there is no file of questions /no/q.yaml',
  })
})
