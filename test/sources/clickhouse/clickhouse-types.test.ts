import { expect, test } from 'vitest'
import { columnOf, finiteReader } from '../../../src/sources/clickhouse/clickhouse-types.ts'

/** The JSON of a value after it was read, and how many values became null. */
function read(type: string, json: string): [json: string, nulls: number] {
  let nulls = 0
  const reader = finiteReader(type, 'c', { notFinite: () => nulls++ })
  return [reader ? reader(json) : json, nulls]
}

test.each([
  ['Float64', '"-inf"', 'null', 1],
  ['Nullable(Float32)', 'null', 'null', 0],
  ['String', '"nan"', '"nan"', 0],
  ['Array(Nullable(Float64))', '[1,"nan",null]', '[1,null,null]', 1],
  ['Map(String, Float64)', '{"nan":"nan","a,b":1}', '{"nan":null,"a,b":1}', 1],
  ['Map(String, String)', '{"nan":"nan"}', '{"nan":"nan"}', 0],
  ['Tuple(String, Float64)', '["nan","nan"]', '["nan",null]', 1],
  ['Tuple(a String, `b, (c` Float64)', '{"a":"inf","b, (c":"inf"}', '{"a":"inf","b, (c":null}', 1],
  ["Tuple(Enum8('nan,(' = 1), Float64)", '["nan,(","nan"]', '["nan,(",null]', 1],
  ['Nested(x String, y Array(Float64))', '[{"x":"nan","y":["nan"]}]', '[{"x":"nan","y":[null]}]', 1],
  ['Polygon', '[[[1,"nan"],[2,3]]]', '[[[1,null],[2,3]]]', 1],
  ['SimpleAggregateFunction(sum, Float64)', '"inf"', 'null', 1],
  ['Variant(Float64, String)', '"nan"', '"nan"', 0],
])('of a %s, %s becomes %s', (type, json, wanted, nulls) => {
  expect(read(type, json)).toEqual([wanted, nulls])
})

test.each([
  ['DateTime', 'instant', false, false],
  ["Nullable(DateTime64(6, 'UTC'))", 'instant', true, false],
  ['Date32', 'date', false, false],
  ['LowCardinality(Nullable(Date))', 'date', true, false],
  ['UInt256', undefined, false, true],
  ['SimpleAggregateFunction(max, Int64)', undefined, false, true],
  ['Array(Nullable(DateTime))', undefined, false, false],
  ['String', undefined, false, false],
  ['IntervalDay', undefined, false, false],
])('%s tells the time as %s', (type, time, nullable, integer) => {
  expect(columnOf('c', type)).toEqual({ name: 'c', type, time, nullable, integer, timeless: false })
})
