import { createHash } from 'node:crypto'
import { z } from 'zod'
import { recordsAndEvents } from '../record/index.ts'
import { countShape, day, eventPart, rawPart, sum, tallyShape } from './manifest-shapes.ts'

/** The counts of a manifest of version 1, which told records and events apart by one member only. */
const counts = z
  .strictObject({
    read: countShape,
    written: countShape,
    rejected: countShape,
    filtered: countShape,
    duplicate: countShape,
    pending: countShape,
    generated: countShape,
  })
  .refine((c) => c.read === c.written + c.rejected + c.filtered + c.duplicate + c.pending, {
    error: 'read is not the sum of written, rejected, filtered, duplicate and pending',
  })

const common = {
  version: z.literal(1),
  tool: z.string(),
  created_at: z.iso.datetime(),
  source: z.record(z.string(), z.string()),
  counts,
  rejects: tallyShape,
  mends: tallyShape,
  big_integers: tallyShape,
}

const eventsOfVersion1 = z
  // In this order, in which checkpoints hash it.
  .strictObject({
    ...common,
    kind: z.literal('events'),
    parts: z.array(eventPart),
    days: z.record(day, tallyShape),
  })
  .transform((manifest) => {
    const { counts, days, ...rest } = manifest
    const names = sumOfNames(Object.values(days))
    return {
      ...rest,
      version: 2 as const,
      rules: null,
      import_ids: null,
      ...sealed(counts),
      filtered: {},
      members: {},
      other_members: {},
      names,
      other_names: 0,
      days: Object.fromEntries(Object.entries(days).map(([day, tally]) => [day, sum(Object.values(tally))])),
      properties: {},
      other_properties: 0,
      group_types: {},
      distinct_ids: null,
      arrival: null,
      version_1: { sha256: createHash('sha256').update(JSON.stringify(manifest)).digest('hex'), days },
    }
  })

const rawOfVersion1 = z
  .strictObject({
    ...common,
    kind: z.literal('raw'),
    parts: z.array(rawPart),
    days: z.record(day, tallyShape),
  })
  .transform(({ tool, created_at, source, kind, parts, counts }) => {
    return { version: 2 as const, kind, tool, created_at, source, parts, records: counts.written }
  })

/** Reads a manifest of version 1 into the form of version 2: what it did not know is null or empty. */
export function readVersion1(value: Readonly<Record<string, unknown>>) {
  return value.kind === 'raw' ? rawOfVersion1.safeParse(value) : eventsOfVersion1.safeParse(value)
}

function sealed(of: z.infer<typeof counts>) {
  const { records, events } = recordsAndEvents({ ...of, earlier: 0 }, null)
  const { pending: _, earlier: _none, ...made } = events
  return { records, events: { ...made, made: made.made - of.pending } }
}

function sumOfNames(days: ReadonlyArray<Readonly<Record<string, number>>>): Record<string, number> {
  const names: Record<string, number> = Object.create(null)
  for (const [name, n] of days.flatMap((tally) => Object.entries(tally))) names[name] = (names[name] ?? 0) + n
  return names
}
