import type { DuckDBConnection } from '@duckdb/node-api'
import { all, eventsOf, LOCAL, since } from './conditions.ts'
import type { RetentionQuery } from './form.ts'
import { bucketSql, buckets, type Calendar, midnight, nextBucket, type Unit } from './project-days.ts'

/** Answers a RetentionQuery: by calendar periods of the project's time zone. */
export async function answerRetention(
  connection: DuckDBConnection,
  query: RetentionQuery,
  calendar: Calendar,
) {
  const { dateRange, retentionFilter, properties } = query
  const { period, totalIntervals, retentionType, targetEntity, returningEntity } = retentionFilter
  const unit = period.toLowerCase() as Unit
  const shared = await eventsOf({ event: null, properties })
  const [start, back] = await Promise.all(
    [targetEntity, returningEntity].map(async ({ id, properties }) =>
      all([await eventsOf({ event: id, properties }), shared]),
    ),
  )
  // The range is widened to whole periods at both ends.
  const periods = buckets(dateRange.date_from, dateRange.date_to, unit, calendar)
  const end = nextBucket(periods.at(-1)!, unit)
  const inRange = all([since(periods[0]!), `${LOCAL} < TIMESTAMP '${end}'`])
  const bucket = bucketSql(LOCAL, unit, calendar)
  const starts =
    retentionType === 'retention_recurring'
      ? `SELECT DISTINCT person_id, ${bucket} AS start FROM events WHERE ${all([start!, inRange])}`
      : // The first one over all time: who began before the range is in no row.
        `SELECT person_id, ${bucketSql('first', unit, calendar)} AS start FROM
           (SELECT person_id, min(${LOCAL}) AS first FROM events WHERE ${start} GROUP BY person_id)
         WHERE first >= TIMESTAMP '${periods[0]}' AND first < TIMESTAMP '${end}'`
  const found = await connection.runAndReadAll(
    `WITH starts AS (${starts}),
      backs AS (SELECT DISTINCT person_id, ${bucket} AS back FROM events WHERE ${all([back!, inRange])})
     SELECT start, start AS back, count(*) FROM starts GROUP BY start
     UNION ALL
     SELECT start, back, count(*) FROM starts JOIN backs USING (person_id) WHERE back > start GROUP BY start, back`,
  )
  const counts = new Map(found.getRows().map(([from, to, count]) => [`${from} ${to}`, Number(count)]))
  const results = periods.map((day, row) => ({
    date: midnight(day, calendar),
    label: `${period} ${row}`,
    breakdown_value: null,
    values: Array.from({ length: totalIntervals }, (_, column) => ({
      // What lies beyond the range is 0, not null.
      count: counts.get(`${day} ${periods[row + column]}`) ?? 0,
      label: `${period} ${column}`,
    })),
  }))
  return { results }
}
