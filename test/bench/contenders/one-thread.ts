// The way of mp2ph, the Python program that many take for Mixpanel's history, written for Node: one thread parses a line,
// maps it, and posts 5,000 events at a time, waiting for each answer. Bodies are compressed as posthaul does it, which mp2ph
// does not do.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { gzipSync } from 'node:zlib'
import { Pool } from 'undici'
import { MIXPANEL, uuidV5 } from '../compare.ts'

const RENAMES: Readonly<Record<string, string>> = {
  $city: '$geoip_city_name',
  $region: '$geoip_subdivision_1_name',
  mp_country_code: '$geoip_country_code',
}
const LEFT_OUT = new Set(['time', 'distinct_id', 'mp_processing_time_ms', '$insert_id'])

interface Line {
  readonly event: string
  readonly properties: Readonly<Record<string, unknown>> & { time: number; $insert_id: string }
}

function mapped({ event, properties }: Line): object {
  const { time, distinct_id, $insert_id } = properties
  const kept: Record<string, unknown> = { historical_migration: true, analytics_source: 'mixpanel' }
  for (const [name, value] of Object.entries(properties)) {
    if (!LEFT_OUT.has(name)) kept[RENAMES[name] ?? name] = value
  }
  return {
    event: event === '$mp_web_page_view' ? '$pageview' : event,
    distinct_id,
    uuid: uuidV5(MIXPANEL, $insert_id),
    timestamp: new Date(time * 1000).toISOString(),
    properties: kept,
  }
}

const [origin, path] = process.argv.slice(2) as [string, string]
const pool = new Pool(origin, { connections: 1 })
let batch: string[] = []

async function post(): Promise<void> {
  const body = `{"api_key":"phc_bench","historical_migration":true,"batch":[${batch.join()}]}`
  batch = []
  const answer = await pool.request({
    method: 'POST',
    path: '/batch/',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(body, { level: 2, memLevel: 9, chunkSize: 256 * 1024 }),
  })
  await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`the sink answered ${answer.statusCode}`)
}

for await (const line of createInterface({ input: createReadStream(path) })) {
  if (batch.push(JSON.stringify(mapped(JSON.parse(line) as Line))) === 5000) await post()
}
if (batch.length > 0) await post()
await pool.close()
