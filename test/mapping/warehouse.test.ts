import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listInputs } from '../../src/inputs/list.ts'
import { readRecords } from '../../src/inputs/read.ts'
import { Mapper } from '../../src/mapping/mapper.ts'
import { loadPreset } from '../../src/presets/index.ts'
import { loadMapping } from '../../src/transform/load-mapping.ts'
import { Collected } from '../inputs/collected.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/warehouse/${name}`, import.meta.url))

/** The records a fixture's table holds, and the events they become. */
async function transform(name: string) {
  const { preset, mapping, columns } = await loadMapping(fixture(`${name}.mapping.yaml`))
  const [input] = await listInputs([fixture(`${name}.csv`)])
  const records = new Collected()
  await readRecords(input!, records, { columns })
  expect(records.rejects).toEqual([])
  const mapper = new Mapper(await loadPreset(preset!), mapping, {
    now: Date.UTC(2026, 0, 1) * 1000,
    version: '0.0.0',
    switches: new Set(),
    groupEventName: '$groupidentify',
    importId: null,
  })
  const events = records.lines.map((line) => {
    const bytes = Buffer.from(line)
    const mapped = mapper.map(bytes, 0, bytes.length)
    if (mapped.status !== 'event') throw new Error(mapped.reason)
    return mapped.text
  })
  return { records: records.lines, events }
}

const head = (event: string) => event.slice(0, event.indexOf(',"properties"'))

test('the columns of an Amplitude warehouse are records in the shape of its export', async () => {
  const { records, events } = await transform('amplitude')
  expect(records[2]).toBe(
    '{"device_id":"c0ffee12-7b6a-4d5e-9f01-23456789abcd","event_id":7,"$insert_id":"5b9f2a7e-bbbb-4ccc-9ddd-000000000007","amplitude_id":900100200302,"app":440011,"country":"India","data":{},"event_time":"2024-03-02T00:00:00","event_type":"Viewed, \\"twice\\"","group_properties":{},"groups":{},"session_id":-1,"user_properties":{}}',
  )
  expect(events.slice(0, 2).map(head)).toEqual([
    '{"uuid":"3f2504e0-4f89-41d3-9a0c-0305e82c3301","timestamp":"2024-03-01T12:34:56.789123Z","event":"$pageview","distinct_id":"user-17"',
    '{"uuid":"3f2504e0-4f89-41d3-9a0c-0305e82c3302","timestamp":"2024-03-01T12:35:58.001000Z","event":"Order Placed","distinct_id":"7d1c4c52-5f0e-4d5e-8f6f-1a2b3c4d5e6f"',
  ])
  expect(JSON.parse(events[2]!)).toMatchObject({
    event: 'Viewed, "twice"',
    timestamp: '2024-03-02T00:00:00.000000Z',
  })
  expect(events[0]).toContain(
    '"order_id":12345678901234567890,"total":1.0,"items":["tea, green", "say \\"hi\\""]',
  )
  expect(events[0]).toContain('"plan":"pro","email":"ada@example.com"')
  expect(events[0]).toContain('"$groups":{"company":"Acme"}')
  expect(events[0]).toContain('"$amplitude_is_attribution_event":false')
  expect(events[1]).toContain('"$geoip_latitude":48.2082')
  expect(events[1]).toContain('"note":"Grüße, 👋","lines":2')
  for (const event of events) expect(event).not.toContain('_fivetran')
})

test('the columns of a Mixpanel warehouse join the properties, and the ids stay those of the export', async () => {
  const { records, events } = await transform('mixpanel')
  expect(records[2]).toBe(
    '{"event":"Signed up \\"again\\"","properties":{"time":"2024-03-02 08:58:02","distinct_id":"user-18","$insert_id":"hpuDqcvpltpCjBsebtxwadtEBDnFAdycabFb","mp_processing_time_ms":1709369882000,"mp_keyword":"tea","$distinct_id_before_identity":"18df2a7b-anon-2"}}',
  )
  // The uuids are those that the service's own importer makes of the same insert ids.
  expect(events.filter((_, i) => i !== 1).map(head)).toEqual([
    '{"uuid":"65fdb562-3dcd-5dc3-bc74-78ee4b077e17","timestamp":"2024-03-01T12:34:56.000000Z","event":"$pageview","distinct_id":"user-17"',
    '{"uuid":"a4e29744-95f9-50e9-a142-9dae78bf8065","timestamp":"2024-03-02T08:58:02.000000Z","event":"Signed up \\"again\\"","distinct_id":"user-18"',
  ])
  expect(events[0]).toContain('"user_id":"4711","video_id":12345678901234567890,"ratio":1.0')
  expect(events[0]).toContain('"title":"Plans, compared"')
  expect(events[0]).toContain('"$geoip_city_name":"Graz"')
  expect(events[1]).toContain('"seconds":1E+2,"$network_wifi":true')
  expect(events[1]).toContain('"title":"Grüße, 👋"')
  expect(events[1]).toContain('"distinct_id":"c0ffee12-7b6a"')
})
