import type { GroupsAsked } from '../checks/groups-seen.ts'
import type { HistoryOptions } from '../checks/persons/history.ts'
import type { PersonsPlan } from '../checks/persons/persons-plan.ts'
import { PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import type { Options } from '../options/options.ts'
import { apiSettingsIfAny, type ReaderValues } from '../options/service-settings.ts'
import type { GroupType } from '../service/groups.ts'
import { progressFor } from '../telemetry/progress.ts'
import { groupInputOf, lookAtGroups } from './group-input.ts'
import type { ImportOrder, SourceOrder } from './import-order.ts'

/** The groups of a dataset that goes to a project which nobody can ask; undefined where it has none, and of files. */
export async function groupsUnasked({ input }: SourceOrder): Promise<GroupsAsked | undefined> {
  if (input.kind === 'file') return undefined
  const { named } = await groupInputOf(input, { switches: [], bigIntegersAsStrings: false })
  return { named, unasked: NOBODY_ASKED }
}

/** Finds out what an import would do about the groups of its input; undefined where nobody knows. */
export async function foreseeGroups(
  { source, guards }: Pick<ImportOrder, 'source' | 'guards'>,
  options: Options<ReaderValues>,
  io: Io,
): Promise<GroupsAsked | undefined> {
  if (guards.skipKeyCheck) return undefined
  const input = await groupInputOf(source.input, source)
  if (input.known?.size === 0) return { named: [] }
  const { types, unasked } = await groupTypesThere(options, io)
  if (!types) return { named: input.named, unasked }
  const progress = progressFor(io.telemetry)
  const pass = {
    signal: io.interrupted,
    progress: (total: number) => {
      progress.start('read groups', total)
      return progress
    },
  }
  return lookAtGroups(input, async () => types, pass)
}

/** The group types of a project, or why nobody knows them. */
interface GroupTypesThere {
  readonly types?: readonly GroupType[]
  readonly unasked?: string
  /** What went wrong when the project was asked. Undefined where no personal key is set. */
  readonly failure?: PosthaulError
}

/** What is said where there is no personal key. */
const NOBODY_ASKED =
  'no personal key is set, so nobody asked which group types the project has: an event that is older than its group ' +
  'type never shows its group'

/** Asks a project for its group types, for those who only look: that nobody can be asked is no failure. */
export async function groupTypesThere(options: Options<ReaderValues>, io: Io): Promise<GroupTypesThere> {
  try {
    const settings = await apiSettingsIfAny(options, io.stdin)
    if (!settings) return { unasked: NOBODY_ASKED }
    // Without a key nobody is asked: an import without one starts in half the time.
    const [{ Groups }, { chooseProject }, { question }] = await Promise.all([
      import('../service/groups.ts'),
      import('../service/key-owner.ts'),
      import('./import-guards.ts'),
    ])
    return {
      types: await question(settings, io, async (api) => new Groups(api, await chooseProject(api)).types()),
    }
  } catch (error) {
    if (!(error instanceof PosthaulError) || error.code === 'interrupted') throw error
    return { unasked: `could not ask which group types the project has: ${error.message}`, failure: error }
  }
}

/** What an import would do to persons; undefined without a personal key, and where the project has none of them. */
export async function foretellPersons(
  options: Options<ReaderValues>,
  input: Pick<HistoryOptions, 'open'>,
  io: Io,
): Promise<PersonsPlan | undefined> {
  const settings = await apiSettingsIfAny(options, io.stdin)
  if (!settings) return undefined
  // Without a key nobody is asked.
  const { askForPersons } = await import('./import-persons.ts')
  return askForPersons(settings, input, io)
}
