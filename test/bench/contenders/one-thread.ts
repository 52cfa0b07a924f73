// The way of mp2ph, the Python program that many take for Mixpanel's history, written for Node: one thread parses a line,
// maps it, and posts 5,000 events at a time, waiting for each answer. What it writes twice to know its size is written once
// here, and bodies are compressed as posthaul does it, which mp2ph does not do.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { gzipSync } from 'node:zlib'
import { Pool } from 'undici'

const NAMESPACE = Buffer.from('posthog_mixpanel')
const BATCH = { events: 5000, bytes: 18 * 1024 * 1024 }
const RENAMES: Readonly<Record<string, string>> = {
  $city: '$geoip_city_name',
  $region: '$geoip_subdivision_1_name',
  mp_country_code: '$geoip_country_code',
}
const LEFT_OUT = new Set([
  'time',
  'distinct_id',
  '$mp_api_endpoint',
  'mp_processing_time_ms',
  '$insert_id',
  '$geo_source',
  '$mp_api_timestamp_ms',
])

interface Line {
  readonly event: string
  readonly properties: Readonly<Record<string, unknown>> & { time: number; $insert_id: string }
}

function mapped({ event, properties }: Line): object {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(properties)) {
    if (!LEFT_OUT.has(name)) kept[RENAMES[name] ?? name] = value
  }
  const distinctId = personOf(properties)
  Object.assign(kept, { historical_migration: true, analytics_source: 'mixpanel', distinct_id: distinctId })
  const { time } = properties
  return {
    event: event === '$mp_web_page_view' ? '$pageview' : event,
    distinct_id: distinctId,
    uuid: uuidOf(properties.$insert_id),
    timestamp: new Date(time > 10_000_000_000 ? time : time * 1000).toISOString(),
    properties: kept,
  }
}

function personOf({ distinct_id, $distinct_id_before_identity: before }: Line['properties']): unknown {
  if (typeof before !== 'string') return distinct_id
  return typeof distinct_id !== 'string' || /^(\$device:.*|[A-Z0-9-]*)$/.test(distinct_id)
    ? before
    : distinct_id
}

function uuidOf(insertId: string): string {
  const digest = createHash('sha1').update(NAMESPACE).update(insertId).digest()
  digest[6] = (digest[6]! & 0x0f) | 0x50
  digest[8] = (digest[8]! & 0x3f) | 0x80
  return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

const [origin, path] = process.argv.slice(2) as [string, string]
const pool = new Pool(origin, { connections: 1 })
let batch: string[] = []
let bytes = 0

async function post(): Promise<void> {
  if (batch.length === 0) return
  const body = `{"api_key":"phc_bench","historical_migration":true,"batch":[${batch.join()}]}`
  const answer = await pool.request({
    method: 'POST',
    path: '/batch/',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(body, { level: 2, memLevel: 9, chunkSize: 256 * 1024 }),
  })
  await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`the sink answered ${answer.statusCode}`)
  batch = []
  bytes = 0
}

for await (const line of createInterface({ input: createReadStream(path) })) {
  const text = JSON.stringify(mapped(JSON.parse(line) as Line))
  const size = Buffer.byteLength(text) + 1
  if (batch.length === BATCH.events || bytes + size > BATCH.bytes) await post()
  batch.push(text)
  bytes += size
}
await post()
await pool.close()
