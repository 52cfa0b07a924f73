import { z } from 'zod'
import type { Io } from '../io.ts'
import { count, type ValueOf } from '../result-parts.ts'
import { type Cell, storeCell } from '../state/cell.ts'
import { CellKind } from '../state/cell-kind.ts'
import { openStore } from '../store/open.ts'
import type { StatePlace } from './state-place.ts'
import { verifyResult } from './verify-result.ts'

/*
 * What the last finished `verify` found: `<input>.verified.json`, beside the state of the import.
 *
 * It is for people and pages: `report` shows it to those who have no key. It names the inputs by their hashes, so that it is
 * not taken for the proof of a dataset that was made anew. It is replaced whole by the next verify that comes to its end,
 * and nothing depends on it: where it can't be written, verify says so and goes on. It holds the result without the events
 * that differ and what is known of single values.
 */
const result = verifyResult.shape
const group = result.persons.unwrap().shape.groups.element.shape

const found = z.object({
  ...only(verifyResult, 'equal', 'days').shape,
  events: only(result.events, 'here', 'service', 'others', 'missing', 'unknown', 'moved').extend({
    doubled: count,
  }),
  hidden: result.hidden,
  differences: result.differences,
  missing_file: result.missing_file,
  values: only(result.values.unwrap(), 'compared', 'absent', 'changed').nullable(),
  persons: z
    .object({
      ...only(result.persons.unwrap(), 'distinct_ids', 'persons', 'merges').shape,
      groups: z.array(
        z.object({
          type: group.type,
          events: only(group.events, 'here', 'service'),
          keys: only(group.keys, 'service'),
        }),
      ),
    })
    .nullable(),
  unasked: result.unasked,
  likely_causes: result.likely_causes,
  ingestion_warnings: only(result.ingestion_warnings.unwrap(), 'unasked', 'types').nullable(),
})

const schema = z.object({
  tool: z.string(),
  /** When the service was asked. */
  asked_at: z.iso.datetime(),
  host: z.string(),
  project: z.string(),
  /** `sha256`: `VerifyInput.sha256`. `own`: the import made the events itself. */
  inputs: z.array(z.object({ paths: z.array(z.string()), sha256: z.string(), own: z.boolean() })),
  found,
})

export type Verified = ValueOf<typeof schema>

/** One that can't be read is as good as none: nothing depends on it. */
export const VERIFIED = new CellKind({ name: 'last verify', schema, version: 1 })

/** Keeps what a verify found beside the state of the import. What can't be written is no failure of the verify. */
export async function keepVerified(place: StatePlace, verified: Verified, io: Io): Promise<void> {
  try {
    await VERIFIED.save(await cellIn(place), keptOf(verified))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    io.telemetry.note('verify', `the result is not kept for posthaul report: ${why}`, 'warn')
  }
}

/** Without the members that are not kept. */
export function keptOf(verified: Verified) {
  return schema.parse(verified)
}

/** What the last verify kept; undefined if none did. */
export async function lastVerified(place: StatePlace): Promise<Verified | undefined> {
  return (await VERIFIED.load(await cellIn(place)))?.value
}

async function cellIn({ location, stem }: StatePlace): Promise<Cell> {
  return storeCell(await openStore(location), `${stem}.verified.json`)
}

/** What a verify found, as the program that ran it says it. */
export type SavedVerdict = Verified['found']

/** These members of an object; others are left out. */
function only<Shape extends z.ZodRawShape, Name extends keyof Shape & string>(
  { shape }: z.ZodObject<Shape>,
  ...names: readonly Name[]
): z.ZodObject<Pick<Shape, Name>, z.core.$strip> {
  const picked = Object.fromEntries(names.map((name) => [name, shape[name]]))
  return z.object(picked as unknown as Pick<Shape, Name>)
}
