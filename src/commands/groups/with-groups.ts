import type { Io } from '../../io.ts'
import { Groups } from '../../service/groups.ts'
import { chooseProject } from '../../service/projects.ts'
import { type ApiOptions, withApi } from '../api-session.ts'

/** Runs the work with the groups endpoints of the chosen project. */
export async function withGroups<T>(
  options: ApiOptions,
  io: Io,
  work: (groups: Groups) => Promise<T>,
): Promise<T> {
  return withApi(options, io, async (api) => work(new Groups(api, await chooseProject(api))))
}
