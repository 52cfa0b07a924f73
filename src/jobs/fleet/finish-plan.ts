import type { Io } from '../../io.ts'
import {
  ENDPOINT,
  GROUP_READABLE,
  JSON_SUMMARY,
  OUT,
  required,
  transformRows,
  type Values,
} from '../../options/index.ts'
import { withEndpoint } from '../../store/index.ts'
import type { FleetPlan } from '../../transform/index.ts'
import { assertNotImported } from '../import-state/assert-not-imported.ts'
import type { FleetFinishResult } from '../transform/result.ts'
import { type TransformSaid, transformJson } from '../transform/transform-json.ts'

export const FINISH_ROWS = [
  { ...required(OUT), help: 'the place of the plan: a folder or s3://bucket/prefix' },
  transformRows.ACCEPT,
  GROUP_READABLE,
  JSON_SUMMARY,
  ENDPOINT,
] as const

/** Checks all tasks of a fleet, and writes the manifest of its dataset. */
export async function finishPlan(
  values: Values<typeof FINISH_ROWS>,
  io: Io,
): Promise<{ readonly result: FleetFinishResult; readonly said: TransformSaid }> {
  const started = Date.now()
  const out = withEndpoint(values.out, values.endpoint)
  const { finishFleet } = await import('../../transform/fleet/finish-fleet.ts')
  // The plan looked whether its events were sent; meanwhile an import may have begun.
  await assertNotImported({ out, rules: undefined, rulesChanged: true }, io)
  const { known, result, before, removed } = await finishFleet(out, values.accept)
  const { job, forget } = known.plan
  const transformed = transformJson({
    result: { ...result, error: undefined },
    out,
    seconds: (Date.now() - started) / 1000,
    dryRun: false,
    sample: null,
    foreignClock: undefined,
    idleRules: result.idle ?? [],
    inputFiles: [],
    after: job.after,
    unheard: {},
  })
  return {
    result: { ...transformed, command: 'fleet finish', before, removed_files: removed },
    said: {
      out,
      argv: transformLine(known.plan, values),
      joined: result.joined,
      forgets: forget !== null,
      zone: job.mapping.sourceTimezone,
      knowsIdle: result.idle !== null,
    },
  }
}

/** The command line that makes the same of mended rejects: of so few records one machine is enough. */
function transformLine({ source }: FleetPlan, { out, endpoint }: Values<typeof FINISH_ROWS>): string[] {
  const { preset = '', mapping_sha256 } = source
  return [
    ...['transform', '--preset', preset],
    ...(mapping_sha256 === undefined ? [] : ['--map', 'mapping.yaml']),
    ...['--out', out],
    ...(endpoint === undefined ? [] : ['--endpoint', endpoint]),
  ]
}
