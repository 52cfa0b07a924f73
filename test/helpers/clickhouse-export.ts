import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { runCli } from './cli-process.ts'
import type { ClickHouseHttp } from './clickhouse-http.ts'
import { SCALARS, type ValueType } from './clickhouse-scalars.ts'
import { anyType, lowCardinality, nullable, withDigits } from './clickhouse-values.ts'
import { seeded } from './random.ts'

/** The lines of a dataset's parts, in the order of their names. */
export function linesOf(out: string): string[] {
  return readdirSync(out, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\d\.ndjson(?:\.gz)?$|^[a-z]+\.ndjson\.gz$/.test(name))
    .sort()
    .flatMap((name) => {
      const bytes = readFileSync(join(out, name))
      return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().split('\n').filter(Boolean)
    })
}

/** A table of events of ten days from 1 March 2024, `rows` in all. */
export async function makeEvents(clickhouse: ClickHouseHttp, table: string, rows: number): Promise<void> {
  await clickhouse.run(
    `CREATE TABLE ${table} (id UInt64, at DateTime, name String, amount Decimal(18, 2)) ENGINE = MergeTree ORDER BY at`,
  )
  await clickhouse.run(
    `INSERT INTO ${table} SELECT 18446744073700000000 + number, toDateTime('2024-03-01 00:00:00', 'UTC') + intDiv(number * 864000, ${rows}), 'näme ' || toString(number % 7), toDecimal64(number, 2) / 4 FROM numbers(${rows})`,
  )
}

export const EVENTS_ARGV = ['--time-column', 'at', '--from', '2024-03-01', '--to', '2024-03-11'] as const

/** The lines that an export of the table must have, in any order: written by the server by other functions. */
export async function eventLines(clickhouse: ClickHouseHttp, table: string): Promise<string[]> {
  const text = await clickhouse.run(
    `SELECT '{"id":' || toString(id) || ',"at":"' || formatDateTime(at, '%Y-%m-%dT%H:%i:%SZ', 'UTC') || '","name":"' || name || '","amount":' || toString(intDiv(amount * 100, 100)) || '.' || leftPad(toString(toUInt64(amount * 100) % 100), 2, '0') || '}' FROM ${table} FORMAT TSVRaw`,
  )
  return text.trimEnd().split('\n').sort()
}

interface RoundTrip {
  readonly seed: number
  /** Rows with values of their own. */
  readonly rows: number
  /** How often each row stands in the table that is exported. */
  readonly times?: number
  /** Types composed of others, beside the simple ones. */
  readonly types: number
  readonly out: string
}

/** Writes random values of every type, exports them into `out`, and holds what came against what was written. */
export async function roundTrip(
  clickhouse: ClickHouseHttp,
  { seed, rows: count, times = 1, types: composed, out }: RoundTrip,
): Promise<void> {
  const random = seeded(seed)
  const types: readonly ValueType[] = [
    ...SCALARS,
    ...SCALARS.map(nullable),
    lowCardinality,
    ...Array.from({ length: composed }, () => anyType(random)),
  ]
  const rows = Array.from({ length: count }, () => types.map((type) => type.value(random)))
  const tuples = rows.map((row, id) => `(${[id, ...row.map(({ sql }) => sql)].join(', ')})`)
  const columns = types.map(({ name }, at) => `c${at} ${name}`)
  for (const table of ['base', 'every']) {
    await clickhouse.run(`DROP TABLE IF EXISTS ${table}`)
    await clickhouse.run(
      `CREATE TABLE ${table} (id UInt64, ${columns.join(', ')}) ENGINE = MergeTree ORDER BY id`,
    )
  }
  // A template of the expressions would try '' for an enum that has no such label. The time that one statement
  // takes grows with the square of its rows.
  const plainly = 'SETTINGS input_format_values_deduce_templates_of_expressions = 0'
  for (let from = 0; from < count; from += 200) {
    const some = tuples.slice(from, from + 200).join(', ')
    await clickhouse.run(`INSERT INTO base ${plainly} VALUES ${some}`)
  }
  await clickhouse.run(
    `INSERT INTO every SELECT number * ${count} + id, base.* EXCEPT id FROM base CROSS JOIN numbers(${times}) AS n`,
  )
  const argv = ['export', 'clickhouse', '--table', 'every', '--key', 'id', '--nulls', 'keep', '--out', out]
  const { code, stderr } = await runCli(argv, { CLICKHOUSE_URL: clickhouse.url })
  expect(code, stderr).toBe(0)
  const lines = linesOf(out).map(withDigits) as Record<string, unknown>[]
  lines.sort((one, other) => Number(String(one.id).slice(1)) - Number(String(other.id).slice(1)))
  expect(lines).toHaveLength(count * times)
  for (const [at, { name, isPlain }] of types.entries()) {
    for (const [id, line] of lines.entries()) {
      const { sql, json } = rows[id % count]![at]!
      // Millions of calls of expect would take hours.
      if (!isDeepStrictEqual(line[`c${at}`], json)) expect(line[`c${at}`], `${name}: ${sql}`).toEqual(json)
    }
    if (!isPlain) continue
    // The server's own text of the same values, by another way than its JSON.
    const hexes = await clickhouse.run(`SELECT hex(toString(c${at})) FROM every ORDER BY id FORMAT TSV`)
    const texts = hexes
      .trimEnd()
      .split('\n')
      .map((hex) => Buffer.from(hex, 'hex').toString())
    expect(
      lines.map((line) => String(line[`c${at}`]).replace(/^#/, '')),
      name,
    ).toEqual(texts)
  }
}
