import { PosthaulError } from '../../../errors.ts'
import { MS_PER_DAY } from '../../../text/index.ts'
import { type SqlShape, tableReading } from '../sql-shape.ts'

/** The table of a day of the property's own zone. Those of today (events_intraday_) go when the day is done. */
const DAY = /^events_(\d{4})(\d{2})(\d{2})$/

/** Google rewrites a day for up to three days (answer 7029846 of its help). */
const SETTLES_MS = 3 * MS_PER_DAY

/** GA4 and Firebase: a table a day, which is read whole: no query, and no cost. */
export const GA4: SqlShape = {
  name: 'ga4',
  engines: ['bigquery'],
  preset: 'ga4',
  fits: (tables) => tables.some(({ name }) => DAY.test(name)),
  async readings({ database, schema, windows, signal }) {
    const [first, last] = [windows?.[0], windows?.at(-1)]
    if (!first || !last)
      throw new PosthaulError('--from is missing: GA4 has a table a day', { code: 'usage' })
    const days = (await database.tables(schema, signal)).flatMap((table) => {
      const [, year, month, day] = DAY.exec(table.name) ?? []
      const name = `${year}-${month}-${day}`
      const start = Date.parse(name)
      if (Number.isNaN(start) || start < first.start || start >= last.end) return []
      const holds = { name, start, end: start + MS_PER_DAY + SETTLES_MS }
      return [{ ...tableReading(table), table: 'events', holds }]
    })
    if (days.length > 0) return days.sort((a, b) => a.holds.start - b.holds.start)
    throw new PosthaulError(`${schema ?? 'the dataset'} has no table events_YYYYMMDD of these days`, {
      code: 'config',
      hint: 'name the dataset of the property: --dataset my-project.analytics_123456',
    })
  },
}
