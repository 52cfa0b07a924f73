import { elements, isJson, members } from '../../src/record/json-values.ts'

/** What stands for nothing or nobody somewhere, and what is easily taken for something else. */
const ODD_VALUES = [
  ...['null', '""', '" "', '"NULL"', '"null"', '"None"', '"NaN"', '"nan"', '"N/A"', '"undefined"'],
  ...['"anonymous"', '"guest"', '"0"', '"-"', '"\\\\N"', '0', '-0', '1.0', '1E+5', '12345678901234567890'],
  ...['1e999', 'true', 'false', '{}', '[]', '[null]', '["a","b"]', '[[1],{"a":1}]', '{"a":{"b":null}}'],
  ...['"{\\"a\\":1}"', '"[{\\"a\\":1}]"', '"\\ud800"', '"\\u0000x"', '" x "', '"2024-03-01"'],
  ...['"2024-03-01T10:00:00Z"', '1709287200', '1709287200000', '"20240301100000"', '"a@example.com"'],
  ...['"f47ac10b-58cc-4372-a567-0e02b2c3d479"', '"$device:x"', '"\u2028é😀"'],
]

/** Another record of the same kind: members changed, taken away, given twice, moved, or made very long. */
export function mutated(record: string, random: () => number): string {
  if (!isJson(record)) return record.slice(0, Math.floor(random() * record.length))
  let text = record
  const changes = 1 + Math.floor(random() * 3)
  for (let n = 0; n < changes; n++) text = changed(text, random)
  return text
}

function changed(json: string, random: () => number): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  if (json.startsWith('[')) {
    const items = elements(json)
    if (items.length === 0) return `[${pick(ODD_VALUES)}]`
    const at = Math.floor(random() * items.length)
    return `[${items.map((item, n) => (n === at ? changed(item, random) : item)).join(',')}]`
  }
  if (!json.startsWith('{')) return pick(ODD_VALUES)
  const pairs = members(json).map(([name, value]) => [JSON.stringify(name), value] as const)
  if (pairs.length === 0) return `{"added":${pick(ODD_VALUES)}}`
  const at = Math.floor(random() * pairs.length)
  const [name, value] = pairs[at]!
  const inside = /^[[{]/.test(value) && random() < 0.6
  const rest = pairs.filter((_, n) => n !== at)
  const replaced = (by: string) => pairs.map((pair, n) => (n === at ? ([name, by] as const) : pair))
  const kind = Math.floor(random() * 6)
  const next = inside
    ? replaced(changed(value, random))
    : kind <= 2
      ? replaced(pick(ODD_VALUES))
      : kind === 3
        ? rest
        : kind === 4
          ? [...pairs, [name, random() < 0.5 ? value : pick(ODD_VALUES)] as const]
          : random() < 0.1
            ? replaced(JSON.stringify('long '.repeat(3000)))
            : [[name, value] as const, ...rest]
  return `{${next.map((pair) => pair.join(':')).join(',')}}`
}
