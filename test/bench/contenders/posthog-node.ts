// The service's own client library in its mode for historical migrations, with a thousand events a request, as posthaul.
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PostHog } from 'posthog-node'

const BATCH = 1000
const [origin, folder] = process.argv.slice(2) as [string, string]
const client = new PostHog('phc_bench', {
  host: origin,
  historicalMigration: true,
  flushAt: BATCH * 2,
  maxBatchSize: BATCH,
  maxQueueSize: BATCH * 4,
  flushInterval: 3_600_000,
})

interface EventLine {
  uuid: string
  event: string
  timestamp: string
  distinct_id: string
  properties: Record<string, unknown>
}

let held = 0
for (const name of (await readdir(folder)).filter((file) => /^\d.*\.ndjson$/.test(file)).sort()) {
  for await (const line of createInterface({ input: createReadStream(join(folder, name)) })) {
    const { uuid, event, timestamp, distinct_id, properties } = JSON.parse(line) as EventLine
    client.capture({ uuid, event, distinctId: distinct_id, properties, timestamp: new Date(timestamp) })
    if (++held % BATCH === 0) await client.flush()
  }
}
await client.shutdown()
