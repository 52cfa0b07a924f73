import { z } from 'zod'
import { retrying } from '../../http/retry.ts'
import { POSTHAUL_NAMESPACE, uuidV5 } from '../../record/uuid.ts'
import { sqlText } from '../../service/query.ts'
import type { VendorCall } from '../source.ts'
import { cutShort } from '../vendor-client.ts'
import { type QueryPlace, queryRows } from './query.ts'

const ROWS = 5000
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?Z?$/
/** The id, the time, properties as JSON, and one of the distinct ids, which not every person has. */
const row = z.tuple([z.string(), z.string().regex(TIME), z.string().regex(/^\s*(?:\{|$)/), z.unknown()])

/**
 * All persons, each as a `$set` event with its properties, under one of its distinct ids. The event's time is when the
 * person was created, so that these properties do not seem newer than those that events set.
 */
export async function* exportPersons(place: QueryPlace, call: VendorCall): AsyncGenerator<Buffer> {
  const { vendor } = place.client
  for (let after = ''; ; ) {
    const sql = personsQuery(after)
    const rows = await retrying(async () => {
      const page = await queryRows(place, { sql, columns: 4 }, call)
      const [first] = page
      // The page before would be asked for again without end.
      if (first && String(first[0]) <= after) throw cutShort(`${vendor} answered with persons twice`)
      return page
    }, call.retry)
    const lines: string[] = []
    for (const found of rows) {
      const { success, data } = row.safeParse(found)
      if (!success) throw cutShort(`${vendor} answered with a row that is not a person`)
      const [id, createdAt, properties, distinctId] = data
      after = id
      if (typeof distinctId === 'string' && distinctId !== '')
        lines.push(personLine(id, createdAt, properties, distinctId))
    }
    yield Buffer.from(lines.join(''))
    if (rows.length < ROWS) return
  }
}

function personsQuery(after: string): string {
  return (
    "SELECT toString(p.id) AS person, toString(toTimeZone(p.created_at, 'UTC')), p.properties, d.distinct_id " +
    'FROM persons AS p LEFT JOIN (SELECT person_id, min(distinct_id) AS distinct_id FROM person_distinct_ids ' +
    `GROUP BY person_id) AS d ON p.id = d.person_id WHERE toString(p.id) > ${sqlText(after)} ` +
    `ORDER BY toString(p.id) ASC LIMIT ${ROWS}`
  )
}

function personLine(id: string, createdAt: string, properties: string, distinctId: string): string {
  const set = properties.trim() === '' ? '{}' : properties.replaceAll(/[\r\n]+/g, ' ')
  // The uuid depends on the properties too: a person that is fetched again with other ones is another event.
  const uuid = uuidV5(POSTHAUL_NAMESPACE, `person:${id}:${set}`)
  const time = `${createdAt.replace(' ', 'T').replace(/Z?$/, 'Z')}`
  return (
    `{"uuid":"${uuid}","event":"$set","distinct_id":${JSON.stringify(distinctId)},` +
    `"timestamp":${JSON.stringify(time)},"properties":{"$set":${set}}}\n`
  )
}
