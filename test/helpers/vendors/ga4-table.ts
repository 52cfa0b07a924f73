import { readFileSync } from 'node:fs'
import type { FakeField, FakeTable, WireCell } from './bigquery.ts'

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

const FLOATS = new Set(['float_value', 'double_value'])

/** The days of a GA4 export as lines, integers as numbers: so they are in files of Parquet, and in answers of BigQuery. */
export function ga4Lines(
  days: readonly string[],
  users: number,
): Readonly<Record<string, readonly string[]>> {
  const file = new URL('../../../fixtures/ga4/walk/events_20240302.parquet', import.meta.url)
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return Object.fromEntries(
    days.map((day, at) => {
      const moved = lines.map((line) => {
        const record = JSON.parse(line)
        record.event_date = day
        record.event_timestamp += (at - 1) * 86_400_000_000
        return record
      })
      const texts = Array.from({ length: users }, (_, user) =>
        moved.map((record) =>
          JSON.stringify({ ...record, user_pseudo_id: `${record.user_pseudo_id}${user}` }),
        ),
      )
      return [day, texts.flat()]
    }),
  )
}

/** The table that these lines would be exported from. */
export function tableOf(lines: readonly string[]): FakeTable {
  const records = lines.map((line) => JSON.parse(line) as { readonly [name: string]: Json })
  const fields = fieldsOf(records)
  return { fields, rows: records.map((record) => ({ f: cellsOf(fields, record) })) }
}

function fieldsOf(records: readonly { readonly [name: string]: Json }[]): readonly FakeField[] {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))]
  return names.map((name) =>
    fieldOf(
      name,
      records.map((record) => record[name] ?? null),
    ),
  )
}

function fieldOf(name: string, values: readonly Json[]): FakeField {
  const known = values.filter((value) => value !== null)
  if (known.some((value) => Array.isArray(value))) {
    return { ...fieldOf(name, (known as readonly (readonly Json[])[]).flat()), mode: 'REPEATED' }
  }
  const objects = known.filter((value) => typeof value === 'object') as { readonly [name: string]: Json }[]
  if (objects.length > 0) return { name, type: 'RECORD', fields: fieldsOf(objects) }
  if (FLOATS.has(name)) return { name, type: 'FLOAT' }
  const type = { number: 'INTEGER', boolean: 'BOOLEAN' }[typeof known[0] as string] ?? 'STRING'
  return { name, type }
}

function cellsOf(fields: readonly FakeField[], record: { readonly [name: string]: Json }): WireCell[] {
  return fields.map((field) => cellOf(field, record[field.name] ?? null))
}

function cellOf(field: FakeField, value: Json): WireCell {
  if (field.mode === 'REPEATED') {
    const elements = (value ?? []) as readonly Json[]
    return {
      v: elements.map((one) =>
        cellOf({ name: field.name, type: field.type, ...(field.fields && { fields: field.fields }) }, one),
      ),
    }
  }
  if (value === null) return { v: null }
  if (field.fields) return { v: { f: cellsOf(field.fields, value as { readonly [name: string]: Json }) } }
  return { v: String(value) }
}
