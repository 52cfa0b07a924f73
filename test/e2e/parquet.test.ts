import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { writeParquet } from '../helpers/parquet.ts'

async function transformed(preset: string, input: string): Promise<string[]> {
  const out = join(testFolder(), 'events')
  await exits(0, runHosted(['transform', '--preset', preset, '--in', input, '--out', out]))
  const parts = readdirSync(out).filter((name) => /^\d.*\.ndjson$/.test(name))
  return parts.flatMap((part) => readFileSync(join(out, part), 'utf8').trimEnd().split('\n'))
}

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const PROPERTIES = '{"n": 12345678901234567890, "x": 1.0, "$set": {"plan": "pro"}}'

test("the service's batch exports are read in each of their forms", async () => {
  const raw = join(testFolder(), 'raw')
  mkdirSync(raw)
  const row = (n: number) =>
    `{"uuid":"${uuid(n)}","event":"$pageview","distinct_id":"u1","timestamp":"2024-03-01T12:00:00.00000${n}Z",` +
    `"properties":${PROPERTIES},"elements_chain":"a:text=\\"x\\""}\n`
  writeFileSync(join(raw, 'a-b-0.jsonl.gz'), gzipSync(row(1)))
  writeFileSync(join(raw, 'a-b-1.jsonl.br'), brotliCompressSync(row(2)))
  await writeParquet(
    join(raw, 'a-b-2.parquet.zst'),
    `SELECT '${uuid(3)}' AS uuid, '$pageview' AS event, 'u1' AS distinct_id, '${PROPERTIES}' AS properties,
      'a:text="x"' AS elements_chain, TIMESTAMPTZ '2024-03-01 12:00:00.000003+00' AS timestamp`,
    ', CODEC zstd',
  )
  const files = ['a-b-0.jsonl.gz', 'a-b-1.jsonl.br', 'a-b-2.parquet.zst'].map((name) => `prefix/${name}`)
  writeFileSync(join(raw, 'a-b_manifest.json'), JSON.stringify({ files }))
  const events = await transformed('posthog', raw)
  expect(events.map((line) => line.replace(/"uuid":"[^"]*"|00000\dZ/g, ''))).toEqual(
    Array.from({ length: 3 }, () => events[0]!.replace(/"uuid":"[^"]*"|00000\dZ/g, '')),
  )
  expect(events.map((line) => (JSON.parse(line) as { uuid: string }).uuid)).toEqual([1, 2, 3].map(uuid))
  expect(events[2]).toContain('"n":12345678901234567890,"x":1.0')
  expect(events[2]).toContain('"$elements_chain":"a:text=\\"x\\""')
})

test("GA4's rows give the same events from Parquet as from JSON", async () => {
  const rows = testFolder()
  const json = join(rows, 'events.json')
  const text = (n: number) =>
    `{"event_date":"20240301","event_timestamp":"170929649678912${n}","event_name":"page_view",` +
    `"event_params":[{"key":"page_location","value":{"string_value":"https://shop.example.com/p/${n}"}},` +
    `{"key":"order","value":{"int_value":"1709296400"}},{"key":"ratio","value":{"double_value":0.5}}],` +
    `"user_pseudo_id":"1290871337.1709290000","stream_id":"3456789012","platform":"WEB",` +
    `"device":{"category":"mobile","web_info":{"browser":"Chrome"}},"items":[]}\n`
  writeFileSync(json, Array.from({ length: 10 }, (_, n) => text(n)).join(''))
  const value =
    "value: 'STRUCT(string_value VARCHAR, int_value BIGINT, float_value DOUBLE, double_value DOUBLE)'"
  const params = value.replace(/^value: '|'$/g, '')
  const columns = [
    "event_date: 'VARCHAR'",
    "event_timestamp: 'BIGINT'",
    "event_name: 'VARCHAR'",
    `event_params: 'STRUCT(key VARCHAR, value ${params})[]'`,
    "user_pseudo_id: 'VARCHAR'",
    "stream_id: 'VARCHAR'",
    "platform: 'VARCHAR'",
    "device: 'STRUCT(category VARCHAR, web_info STRUCT(browser VARCHAR))'",
    "items: 'VARCHAR[]'",
  ]
  const parquet = join(rows, 'events.parquet')
  await writeParquet(parquet, `SELECT * FROM read_json('${json}', columns = {${columns.join(', ')}})`)
  const [fromJson, fromParquet] = [await transformed('ga4', json), await transformed('ga4', parquet)]
  expect(fromJson).toHaveLength(10)
  expect(fromParquet).toEqual(fromJson)
  expect(fromParquet[0]).toContain('"order":1709296400')
})

test('a signal while rows are read ends it in order, and leaves no copy of the file behind', async () => {
  const at = testFolder()
  const plain = join(at, 'rows.parquet')
  await writeParquet(
    plain,
    `SELECT '$pageview' AS event, 'u' || (i % 1000) AS distinct_id, '{"n": ' || i || '}' AS properties,
      TIMESTAMPTZ '2024-03-01 12:00:00+00' + INTERVAL (i) SECOND AS timestamp FROM range(200000) AS t(i)`,
  )
  const [input, out, tmp] = [`${plain}.gz`, join(at, 'events'), join(at, 'tmp')]
  writeFileSync(input, gzipSync(readFileSync(plain), { level: 1 }))
  mkdirSync(tmp)
  for (const signals of [1, 2, 1, 2, 1].slice(0, kills({ few: 2, many: 5 }))) {
    const cli = startCli(['transform', '--preset', 'posthog', '--in', input, '--out', out], { TMPDIR: tmp })
    // From here on the rows are read.
    const looking = setInterval(() => {
      if (!existsSync(join(out, '.posthaul-transform', 'unit-000000.seen'))) return
      clearInterval(looking)
      for (let sent = 0; sent < signals; sent++) cli.kill('SIGINT')
    }, 2)
    const { code, signal, stderr } = await cli.ended
    // The second one means now, whatever is left behind; two that come at once are one.
    if (signals === 1) expect([code, readdirSync(tmp)], stderr).toEqual([130, []])
    else expect([130, 'SIGINT'], stderr).toContain(signal ?? code)
    for (const path of [out, ...readdirSync(tmp).map((name) => join(tmp, name))])
      rmSync(path, { recursive: true })
  }
})
