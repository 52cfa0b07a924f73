import type { GroupsSeen } from '../checks/groups-seen.ts'
import { PosthaulError } from '../errors.ts'
import type { GuardFacts } from '../guards/guard.ts'
import type { Io } from '../io.ts'
import type { Options } from '../options/options.ts'
import { apiSettingsIfAny, type ReaderValues } from '../options/service-settings.ts'
import type { GroupType } from '../service/groups.ts'
import { progressFor } from '../telemetry/progress.ts'
import { groupInputOf, lookAtGroups } from './group-input.ts'
import type { SourceOrder } from './import-order.ts'

type GroupFacts = Pick<GuardFacts, 'groups' | 'unasked'>

/** What a question about group types is about, as `could not ask` goes on. */
export const GROUP_TYPES = 'which group types the project has'

/** The groups of a dataset that goes to a project which nobody can ask; none of files. */
export async function groupsUnasked({ input }: SourceOrder): Promise<GroupFacts> {
  if (input.kind === 'file') return {}
  const { known } = await groupInputOf(input, { switches: [], bigIntegersAsStrings: false })
  return { groups: { named: [...(known?.keys() ?? [])], unasked: true } }
}

/** Finds out what an import would do about the groups of its input. `seen`: those of files that were read already. */
export async function foreseeGroups(
  source: Pick<SourceOrder, 'input' | 'switches' | 'bigIntegersAsStrings'>,
  options: Options<ReaderValues>,
  io: Io,
  seen?: GroupsSeen,
): Promise<GroupFacts> {
  const input = await groupInputOf(source.input, source, seen)
  if (input.known?.size === 0) return {}
  const { types, failure } = await groupTypesThere(options, io)
  if (failure) return { unasked: [{ what: GROUP_TYPES, error: failure }] }
  if (!types) return { groups: { named: [...(input.known?.keys() ?? [])], unasked: true } }
  const progress = progressFor(io.telemetry)
  const pass = {
    signal: io.interrupted,
    progress: (total: number) => {
      progress.start('read groups', total)
      return progress
    },
  }
  return { groups: await lookAtGroups(input, async () => types, pass) }
}

/** The group types of a project, or what went wrong when it was asked. Neither without a personal key. */
interface GroupTypesThere {
  readonly types?: readonly GroupType[]
  readonly failure?: PosthaulError
}

/** Asks a project for its group types. */
export async function groupTypesThere(options: Options<ReaderValues>, io: Io): Promise<GroupTypesThere> {
  try {
    const settings = await apiSettingsIfAny(options, io.stdin)
    if (!settings) return {}
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
    return { failure: error }
  }
}
