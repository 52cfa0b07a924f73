import { Random } from './random.ts'
import { millisOf, visitorAt } from './visitor.ts'

const PAGES = ['/', '/pricing', '/docs', '/signup', '/app', '/app/reports']
const TITLES = ['Home', '"Prices, plans"', 'Docs', 'Sign up', '"The ""app"""', 'Reports']
const EVENTS = ['page_viewed', 'page_viewed', 'report_created', 'plan_changed']
const PLANS = ['free', 'team', '']

/**
 * Events as a warehouse writes them as CSV: a header and `count - 1` rows of about 86 bytes, in the columns that the
 * preset `events` takes by name. One row in three has a quoted cell, one in three an empty one. A function of its arguments.
 */
export function* table(count: number, seed: number): Generator<string> {
  const random = new Random(seed)
  yield 'timestamp,event,distinct_id,page,title,amount,plan,screen'
  for (let i = 1; i < count; i++) {
    const { user } = visitorAt(i, seed, random)
    const time = new Date(millisOf(i, random)).toISOString().replace('T', ' ').slice(0, 23)
    const page = random.below(PAGES.length)
    const amount = random.below(100_000) / 100
    const row = [
      time,
      random.pick(EVENTS),
      user,
      PAGES[page],
      TITLES[page],
      amount,
      random.pick(PLANS),
      '1728x1117',
    ]
    yield row.join()
  }
}
