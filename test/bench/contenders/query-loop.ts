// Asks the query endpoint for the events of each day, page after page, and writes them packed, as a script of one's own would.
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

const [origin, project, key, from, days, path] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
]
const MOST = 10_000
const COLUMNS = 'toString(uuid), event, distinct_id, toString(timestamp), properties'

async function* rows(): AsyncGenerator<string> {
  for (let day = 0; day < Number(days); day++) {
    const [first, end] = [day, day + 1].map((n) =>
      new Date(Number(from) + n * 86_400_000).toISOString().slice(0, 10),
    )
    const span = `timestamp >= toDateTime('${first} 00:00:00') AND timestamp < toDateTime('${end} 00:00:00')`
    for (let after = ''; ; ) {
      const query = `SELECT ${COLUMNS} FROM events WHERE ${span} AND toString(uuid) > '${after}' ORDER BY toString(uuid) LIMIT ${MOST}`
      const answer = await fetch(`${origin}/api/projects/${project}/query/`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query: { kind: 'HogQLQuery', query } }),
      })
      if (answer.status !== 200)
        throw new Error(`the sandbox answered ${answer.status}: ${await answer.text()}`)
      const { results } = (await answer.json()) as { results: string[][] }
      for (const row of results) yield `${JSON.stringify(row)}\n`
      if (results.length < MOST) break
      after = results.at(-1)![0]!
    }
  }
}

await pipeline(rows, createGzip(), createWriteStream(path))
