import type { Command } from 'commander'
import { EXIT, type ExitCode, PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { chooseType } from '../../jobs/groups/choose-type.ts'
import { exportDataset } from '../../jobs/groups/export-dataset.ts'
import { withGroups } from '../../jobs/import/api-session.ts'
import { assertWorkDir, workHome } from '../../jobs/import/state-home.ts'
import type { Options } from '../../options/options.ts'
import { required, type Values } from '../../options/row.ts'
import { ENDPOINT, GZIP, OUT, WORK_DIR } from '../../options/rows/dataset-rows.ts'
import { ALL_TYPES, TYPE, VIA } from '../../options/rows/groups-rows.ts'
import { GROUP_READABLE, JSON_SUMMARY } from '../../options/rows/output-rows.ts'
import { BIG_INTEGERS } from '../../options/rows/transform-rows.ts'
import { API_ROWS } from '../../options/service-settings.ts'
import { GROUP_EVENT } from '../../record/group-event.ts'
import type { Groups, GroupType } from '../../service/groups.ts'
import { usualVia } from '../../sources/posthog/groups.ts'
import { withEndpoint } from '../../store/s3-location.ts'
import { jsonLine } from '../../text/json.ts'
import { addKeyHelp } from '../command.ts'
import { useReported } from '../reported.ts'
import { groupCounts, groupsExportSummary, pageReporter } from '../text/groups-export.ts'

const EXPORT_ROWS = [
  TYPE,
  ALL_TYPES,
  required(OUT),
  VIA,
  BIG_INTEGERS,
  GZIP,
  WORK_DIR,
  GROUP_READABLE,
  JSON_SUMMARY,
  ENDPOINT,
  ...API_ROWS,
] as const

/** The service gives a project this many group types and ignores groups of any other. */
const MAX_TYPES = 5

/** `groups export`: groups as a dataset of events that `import` takes. */
export function configureExport(parent: Command, io: Io, exit: (code: ExitCode) => void): void {
  const command = parent
    .command('export')
    .description('write groups as a dataset of group events, which import takes as it is')
  addKeyHelp(command, 'group:read (--via query: query:read too)')
  useReported(command, EXPORT_ROWS, io, exit, (options) => run(options, io))
}

async function run(options: Options<Values<typeof EXPORT_ROWS>>, io: Io): Promise<ExitCode> {
  const { type, allTypes, out, via, gzip, bigIntegers, endpoint, workDir, json } = options.values
  if ((type === undefined) === !allTypes) {
    throw new PosthaulError('say which groups: either --type or --all-types', { code: 'usage' })
  }
  assertWorkDir(options.values)
  return withGroups(options, io, async (groups) => {
    const types = await chosenTypes(groups, type)
    if (types.length > MAX_TYPES) {
      const text = `${types.length} group types: the service takes ${MAX_TYPES} a project and ignores groups of the others`
      io.telemetry.note('posthaul', text, 'warn')
    }
    const report = pageReporter(io.telemetry)
    const dataset = {
      groups,
      types,
      via: via ?? (await usualVia(groups, types[0]!)),
      out: withEndpoint(out, endpoint),
      gzip,
      bigIntegers,
      workHome: workHome(io.env, workDir),
      onPage: (type: GroupType, total: number) => report(type.name, total),
    }
    const manifest = await exportDataset(dataset, io)
    const { days, rejects, mends, big_integers } = manifest
    const summary = {
      version: 1,
      command: 'groups export',
      out,
      counts: groupCounts(manifest),
      days: Object.fromEntries(Object.entries(days).map(([day, count]) => [day, { [GROUP_EVENT]: count }])),
      rejects,
      mends,
      big_integers,
    }
    io.telemetry.summary('export', { json: summary, text: groupsExportSummary(out, manifest) })
    if (json) io.stdout.write(jsonLine(summary))
    return manifest.records.rejected > 0 ? EXIT.rejects : EXIT.done
  })
}

async function chosenTypes(groups: Groups, type: string | undefined): Promise<readonly GroupType[]> {
  if (type !== undefined) return [await chooseType(groups, type)]
  const types = await groups.types()
  if (types.length > 0) return types
  throw new PosthaulError('this project has no group types, so there is nothing to export', { code: 'input' })
}
