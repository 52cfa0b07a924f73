import {
  below,
  bytesSql,
  pick,
  type Random,
  SCALARS,
  string,
  TEXTS,
  type ValueType,
} from './clickhouse-scalars.ts'

/** JSON with each number as a string of `#` and its digits. */
export function withDigits(json: string): unknown {
  return JSON.parse(
    json.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs, (token) =>
      token.startsWith('"') ? token : `"#${token}"`,
    ),
  )
}

export function nullable(inner: ValueType): ValueType {
  return {
    name: `Nullable(${inner.name})`,
    value: (random) => (random() < 0.3 ? { sql: 'NULL', json: null } : inner.value(random)),
  }
}

export const lowCardinality: ValueType = {
  name: 'LowCardinality(Nullable(String))',
  value: (random) => nullable(string).value(random),
}

function array(inner: ValueType): ValueType {
  return {
    name: `Array(${inner.name})`,
    value(random) {
      const items = Array.from({ length: below(random, 4) }, () => inner.value(random))
      const sql = `CAST([${items.map((item) => item.sql).join(', ')}] AS Array(${inner.name}))`
      return { sql, json: items.map(({ json }) => json) }
    },
  }
}

/** Names are texts that are UTF-8: two names of one Map must not become one. */
function map(inner: ValueType): ValueType {
  return {
    name: `Map(String, ${inner.name})`,
    value(random) {
      const entries = TEXTS.filter(() => random() < 0.2).map((name) => [name, inner.value(random)] as const)
      const sql = entries.map(([name, { sql }]) => `${bytesSql(Buffer.from(name))}, ${sql}`).join(', ')
      return {
        sql: `CAST(map(${sql}) AS Map(String, ${inner.name}))`,
        json: Object.fromEntries(entries.map(([name, { json }]) => [name, json])),
      }
    },
  }
}

const NAMES = ['a', 'b c', 'nan', 'ü', 'x`y', 'Map(']

function tuple(inner: readonly ValueType[], isNamed: boolean): ValueType {
  const quoted = (name: string) => `\`${name.replaceAll('`', '\\`')}\``
  const name = `Tuple(${inner.map((one, at) => `${isNamed ? `${quoted(NAMES[at]!)} ` : ''}${one.name}`).join(', ')})`
  return {
    name,
    value(random) {
      const items = inner.map((one) => one.value(random))
      const json = isNamed
        ? Object.fromEntries(items.map((item, at) => [NAMES[at]!, item.json]))
        : items.map((item) => item.json)
      return { sql: `CAST(tuple(${items.map(({ sql }) => sql).join(', ')}) AS ${name})`, json }
    },
  }
}

/** A type of other types, to a depth. */
export function anyType(random: Random, depth = 3): ValueType {
  const scalar = () => {
    const one = pick(random, SCALARS)
    return random() < 0.3 ? nullable(one) : one
  }
  if (depth === 0) return scalar()
  const inner = () => anyType(random, below(random, depth))
  switch (below(random, 4)) {
    case 0:
      return array(inner())
    case 1:
      return map(inner())
    default:
      return tuple(Array.from({ length: 1 + below(random, NAMES.length) }, inner), random() < 0.5)
  }
}
