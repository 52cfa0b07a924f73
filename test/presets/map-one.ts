import type { Mapped } from '../../src/mapping/mapped.ts'
import { Mapper } from '../../src/mapping/mapper.ts'
import { type Mapping, NO_MAPPING } from '../../src/mapping/mapping.ts'
import type { Preset } from '../../src/mapping/preset.ts'
import { eventText } from '../helpers/event-text.ts'
import { AT_2026 } from '../helpers/mapper.ts'

interface EventLine {
  readonly uuid: string
  readonly timestamp: string
  readonly event: string
  readonly distinct_id: string
  readonly properties: Record<string, unknown>
}

interface Options {
  readonly sourceTimezone?: string | undefined
  readonly switches?: readonly string[]
  readonly mapping?: Partial<Mapping>
}

/** A mapper as of 2026, without a mapping file but for what is given. */
export function makeEngine(preset: Preset, { sourceTimezone, switches = [], mapping }: Options = {}): Mapper {
  return new Mapper(
    preset,
    { ...NO_MAPPING, sourceTimezone, ...mapping },
    { ...AT_2026, switches: new Set(switches) },
  )
}

/** Maps one record, an object or its JSON text; `event` is undefined when none came of it. */
export function mapOne(
  preset: Preset,
  record: object | string,
  options: Options = {},
): { mapped: Mapped; event: EventLine | undefined } {
  const mapper = makeEngine(preset, options)
  const line = Buffer.from(typeof record === 'string' ? record : JSON.stringify(record))
  const mapped = mapper.map(line, 0, line.length)
  const text = eventText(mapped)
  return { mapped, event: text === '' ? undefined : (JSON.parse(text) as EventLine) }
}

/** What the rows of a table that belong to one record fold into. */
export function folded({ sideTables = [] }: Preset, table: string, rows: readonly object[]): unknown {
  const { several } = sideTables.find(({ name }) => name === table)!
  if (typeof several !== 'function') throw new Error('no fold')
  const texts = rows.map((row) => JSON.stringify(row))
  return JSON.parse(texts.reduce<string | undefined>((held, row) => several(held, row), undefined) ?? 'null')
}

/** The properties of the event that a record becomes. */
export function propertiesOf(preset: Preset, record: object): Record<string, unknown> {
  const { mapped, event } = mapOne(preset, record)
  if (!event) throw new Error(`no event came of it: ${JSON.stringify(mapped)}`)
  return event.properties
}
