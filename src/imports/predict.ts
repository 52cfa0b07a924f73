import type { TypesFit } from '../checks/groups-seen.ts'
import type { HistoryOptions } from '../checks/persons/history.ts'
import type { PersonsPlan } from '../checks/persons/persons-plan.ts'
import { fitTexts } from '../checks/words/of-service.ts'
import { PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import type { Options } from '../options/options.ts'
import { apiSettingsIfAny, type ReaderValues } from '../options/service-settings.ts'
import type { GroupType } from '../service/groups.ts'
import { progressFor } from '../telemetry/progress.ts'
import { groupInputOf, lookAtGroups } from './group-input.ts'
import type { ImportOrder, SourceOrder } from './import-order.ts'

/** What an import that can't ask says, if it begins with a dataset that is known to have groups. */
export async function nobodyAsked({ input }: SourceOrder): Promise<string[]> {
  if (input.kind === 'file') return []
  const { known } = await groupInputOf(input, { switches: [], bigIntegersAsStrings: false })
  return known?.size === 0 ? [] : [NOBODY_ASKED]
}

/** What a dry run says about groups: how they fit, if that could be asked, and in words. */
interface GroupsForeseen {
  readonly fit?: TypesFit
  readonly texts: readonly string[]
}

const NONE: TypesFit = { tooMany: [], younger: [], missing: [] }

/** Finds out what an import would do about the groups of its input. */
export async function foreseeGroups(
  { source, guards }: ImportOrder,
  options: Options<ReaderValues>,
  io: Io,
): Promise<GroupsForeseen> {
  if (guards.skipKeyCheck) return { texts: [] }
  const input = await groupInputOf(source.input, source)
  if (input.known?.size === 0) return { fit: NONE, texts: [] }
  const { types, unasked } = await groupTypesThere(options, io)
  if (!types) return { texts: input.known && unasked !== undefined ? [unasked] : [] }
  const progress = progressFor(io.telemetry)
  const pass = {
    signal: io.interrupted,
    progress: (total: number) => {
      progress.start('read groups', total)
      return progress
    },
  }
  const { fit } = await lookAtGroups(input, async () => types, pass)
  return { fit, texts: fitTexts(fit) }
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
