import { GA4 } from './shapes/ga4-days.ts'
import { HEAP, SNOWPLOW, STATSIG, segmentLike } from './shapes/loaded-tables.ts'
import { MATOMO, PLAUSIBLE, UMAMI } from './shapes/own-servers.ts'
import { POSTHOG } from './shapes/posthog-tables.ts'
import type { SqlShape } from './sql-shape.ts'

/** The shapes, in the order of help. */
export const SHAPES: readonly SqlShape[] = [
  GA4,
  segmentLike('segment-warehouse'),
  segmentLike('rudderstack'),
  HEAP,
  MATOMO,
  UMAMI,
  PLAUSIBLE,
  POSTHOG,
  SNOWPLOW,
  STATSIG,
]

export const SHAPE_NAMES = SHAPES.map(({ name }) => name)

export function shapeNamed(name: string): SqlShape {
  const shape = SHAPES.find((one) => one.name === name)
  if (shape === undefined) throw new RangeError(`no shape is called ${name}`)
  return shape
}
