import { expect, test } from 'vitest'
import { MET, MET_BITS } from '../../src/mapping/member-kind.ts'
import { CountedShapes } from '../../src/mapping/shape-counts.ts'
import { keyOf } from '../../src/record/keys.ts'
import { NameTable } from '../../src/record/name-table.ts'

const met = (place: number, way: number) => (place << MET_BITS) | way

/** How often each property was counted since the last call. */
function properties(shapes: CountedShapes): Record<string, number> {
  const table = new NameTable<number>((a, b) => a + b)
  shapes.takeProperties(table)
  return Object.fromEntries(table.take().named)
}

function members(shapes: CountedShapes): unknown[] {
  const taken: unknown[] = []
  shapes.takeMembers((met, records) => taken.push([[...met], records]))
  return taken
}

test('a shape tells which objects its records open', () => {
  const places = [met(3, MET.present), met(5, MET.opened), met(900, MET.opened), met(7, MET.withObject)]
  expect(new CountedShapes().open(Int32Array.from(places), []).opened).toEqual([5, 900])
})

test('the records and events of each shape are counted once, those of equal properties together', () => {
  const shapes = new CountedShapes()
  const [a, b, idle] = [['x', 'y'], ['y'], ['z']].map((names, place) =>
    shapes.open(Int32Array.of(met(place, MET.present)), names.map(keyOf)),
  )
  a!.records = 3
  a!.events = 2
  b!.records = 5
  b!.events = 5
  expect(members(shapes)).toEqual([
    [[met(0, MET.present)], 3],
    [[met(1, MET.present)], 5],
  ])
  expect(properties(shapes)).toEqual({ x: 2, y: 7 })
  expect([members(shapes), properties(shapes)]).toEqual([[], {}])
  idle!.events = 1
  a!.records = 1
  expect([members(shapes), properties(shapes)]).toEqual([[[[met(0, MET.present)], 1]], { z: 1 }])
})

test('shapes that are forgotten count no more', () => {
  const shapes = new CountedShapes()
  const shape = shapes.open(Int32Array.of(met(1, MET.present)), [keyOf('x')])
  shapes.forget()
  shape.records = shape.events = 1
  expect([members(shapes), properties(shapes)]).toEqual([[], {}])
})
