import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import {
  ALL_TYPES,
  API_ROWS,
  BIG_INTEGERS,
  ENDPOINT,
  GROUP_READABLE,
  GROUPS_VIA,
  GZIP_OUTPUT,
  JSON_SUMMARY,
  type Options,
  OUT,
  required,
  TYPE,
  type Values,
  WORK_DIR,
} from '../../options/index.ts'
import type { Groups, GroupType } from '../../service/index.ts'
import { usualVia } from '../../sources/index.ts'
import { type EventsManifest, withEndpoint } from '../../store/index.ts'
import { withGroups } from '../import/api-session.ts'
import { assertWorkDir, workHome } from '../import/state-home.ts'
import { chooseType } from './choose-type.ts'
import { exportDataset } from './export-dataset.ts'

export const EXPORT_ROWS = [
  TYPE,
  ALL_TYPES,
  required(OUT),
  GROUPS_VIA,
  BIG_INTEGERS,
  GZIP_OUTPUT,
  WORK_DIR,
  GROUP_READABLE,
  JSON_SUMMARY,
  ENDPOINT,
  ...API_ROWS,
] as const

/** The service gives a project this many group types and ignores groups of any other. */
const MAX_TYPES = 5

export type GroupsExportOptions = Options<Values<typeof EXPORT_ROWS>>

/** Writes groups as a dataset. `onPage` is told how many of a type have been read. */
export async function exportGroups(
  options: GroupsExportOptions,
  onPage: (type: string, total: number) => void,
  io: Io,
): Promise<EventsManifest> {
  const { type, allTypes, out, via, gzip, bigIntegers, endpoint, workDir } = options.values
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
    const dataset = {
      groups,
      types,
      via: via ?? (await usualVia(groups, types[0]!)),
      out: withEndpoint(out, endpoint),
      gzip,
      bigIntegers,
      workHome: workHome(io.env, workDir),
      onPage: (type: GroupType, total: number) => onPage(type.name, total),
    }
    return exportDataset(dataset, io)
  })
}

async function chosenTypes(groups: Groups, type: string | undefined): Promise<readonly GroupType[]> {
  if (type !== undefined) return [await chooseType(groups, type)]
  const types = await groups.types()
  if (types.length > 0) return types
  throw new PosthaulError('this project has no group types, so there is nothing to export', { code: 'input' })
}
