import type { FakeField, WireRow } from './bigquery.ts'

/** A value as the API gives it, and the JSON that it must become; undefined for NULL. */
type Value = readonly [wire: unknown, json: string | undefined]

const pick = <T>(from: readonly T[], random: () => number): T => from[Math.floor(random() * from.length)]!
const digits = (count: number, random: () => number) =>
  Array.from(
    { length: count },
    (_, at) => Math.floor(random() * (at === 0 ? 9 : 10)) + (at === 0 ? 1 : 0),
  ).join('')
const text = (wire: string): Value => [wire, JSON.stringify(wire)]
const number = (wire: string): Value => [wire, wire]
const pad = (value: number, width: number) => String(value).padStart(width, '0')

/** A wall clock of any year, with as many digits of a second as BigQuery gives. */
function clock(random: () => number): readonly [date: string, time: string] {
  const date = `${pad(1 + Math.floor(random() * 9999), 4)}-${pad(1 + Math.floor(random() * 12), 2)}-${pad(1 + Math.floor(random() * 28), 2)}`
  const time = [24, 60, 60].map((of) => pad(Math.floor(random() * of), 2)).join(':')
  return [date, random() < 0.5 ? time : `${time}.${digits(6, random)}`]
}

function timestamp(random: () => number): Value {
  const [date, time] = clock(random)
  const [seconds, fraction = ''] = time.split('.')
  const instant = `${date}T${seconds}`
  const micros = BigInt(Date.parse(`${instant}Z`)) * 1000n + BigInt(fraction || '0')
  return [String(micros), JSON.stringify(`${instant}${fraction && `.${fraction}`}Z`)]
}

/** A value of each type, by the API's names. */
const SCALARS: Readonly<Record<string, (random: () => number) => Value>> = {
  STRING: (random) =>
    text(pick(['', 'NULL', 'null', 'Füße ✓ 🎉', 'a"b\\c\n\u2028', '{"a":1}', '0042'], random)),
  BYTES: (random) => text(Buffer.from(digits(7, random)).toString('base64')),
  INTEGER: (random) =>
    number(pick(['0', '-9223372036854775808', '9223372036854775807', digits(17, random)], random)),
  FLOAT: (random) =>
    pick(
      [
        number('0.30000000000000004'),
        number('1.0E10'),
        number('-0.0'),
        ['NaN', undefined],
        ['-Infinity', undefined],
      ] as const,
      random,
    ),
  NUMERIC: (random) => number(pick(['1.10', `-${digits(29, random)}.${digits(9, random)}`, '0'], random)),
  BIGNUMERIC: (random) => number(`${digits(38, random)}.${digits(38, random)}`),
  BOOLEAN: (random) => number(pick(['true', 'false'], random)),
  TIMESTAMP: timestamp,
  DATETIME: (random) => text(clock(random).join('T')),
  DATE: (random) => text(clock(random)[0]),
  TIME: (random) => text(clock(random)[1]),
  GEOGRAPHY: () => text('POINT(-122.35022 47.649154)'),
  INTERVAL: () => text('1-2 -3 4:5:6.789'),
  RANGE: () => text('[2024-01-01, UNBOUNDED)'),
  JSON: (random) =>
    number(pick(['{"a":1.10,"b":[null,12345678901234567890]}', 'null', '"x"', '[]', '{"a": 1}'], random)),
}

function madeOf(field: FakeField, random: () => number, nulls: boolean): Value {
  if (field.mode !== 'REQUIRED' && random() < 0.2) return [null, undefined]
  if (field.type !== 'RECORD') return SCALARS[field.type]!(random)
  const values = field.fields!.map((one) => valuesOf(one, random, nulls))
  return [{ f: values.map(([v]) => ({ v })) }, objectText(field.fields!, values, nulls)]
}

function valuesOf(field: FakeField, random: () => number, nulls: boolean): Value {
  if (field.mode !== 'REPEATED') return madeOf(field, random, nulls)
  // An array holds no NULL in BigQuery.
  const count = Math.floor(random() * 4)
  const values = Array.from({ length: count }, () => madeOf({ ...field, mode: 'REQUIRED' }, random, nulls))
  return [values.map(([v]) => ({ v })), `[${values.map(([, json]) => json ?? 'null').join(',')}]`]
}

function objectText(fields: readonly FakeField[], values: readonly Value[], nulls: boolean): string {
  const members = values.flatMap(([, json], at) =>
    json === undefined && !nulls ? [] : [`${JSON.stringify(fields[at]!.name)}:${json ?? 'null'}`],
  )
  return `{${members.join(',')}}`
}

const scalars: readonly FakeField[] = Object.keys(SCALARS).flatMap((type): FakeField[] => [
  { name: type.toLowerCase(), type },
  { name: `${type.toLowerCase()}s`, type, mode: 'REPEATED' },
])

/** A column of every type, alone and in lists, and records within records. */
export const EVERY_TYPE: readonly FakeField[] = [
  { name: 'id', type: 'INTEGER', mode: 'REQUIRED' },
  ...scalars,
  {
    name: 'record',
    type: 'RECORD',
    fields: [...scalars, { name: 'deep', type: 'RECORD', mode: 'REPEATED', fields: scalars }],
  },
]

/** Random rows, and the lines that they must become. */
export function randomRows(
  fields: readonly FakeField[],
  count: number,
  { random, nulls = false }: { readonly random: () => number; readonly nulls?: boolean },
): { readonly rows: readonly WireRow[]; readonly lines: readonly string[] } {
  const made = Array.from({ length: count }, (_, at) => {
    const values = fields.map((field) =>
      field.name === 'id' ? number(String(at)) : valuesOf(field, random, nulls),
    )
    return [{ f: values.map(([v]) => ({ v })) }, objectText(fields, values, nulls)] as const
  })
  return { rows: made.map(([row]) => row), lines: made.map(([, line]) => line) }
}
