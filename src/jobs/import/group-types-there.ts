import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { apiSettingsIfAny, type Options, type ReaderValues } from '../../options/index.ts'
import type { GroupType } from '../../service/index.ts'

/** The group types of a project, or why nobody knows them. */
export interface GroupTypesThere {
  readonly types?: readonly GroupType[]
  readonly unasked?: string
  /** What went wrong when the project was asked. Undefined where no personal key is set. */
  readonly failure?: PosthaulError
}

/** What is said where there is no personal key. */
export const NOBODY_ASKED =
  'no personal key is set, so nobody asked which group types the project has: an event that is older than its group ' +
  'type never shows its group'

/** Asks a project for its group types, for those who only look: that nobody can be asked is no failure. */
export async function groupTypesThere(options: Options<ReaderValues>, io: Io): Promise<GroupTypesThere> {
  try {
    const settings = await apiSettingsIfAny(options, io.stdin)
    if (!settings) return { unasked: NOBODY_ASKED }
    // Without a key nobody is asked: an import without one starts in half the time.
    const [{ Groups }, { chooseProject }, { question }] = await Promise.all([
      import('../../service/groups.ts'),
      import('../../service/projects.ts'),
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
