import { PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import type { Options } from '../options/options.ts'
import type { Values } from '../options/row.ts'
import { type API_ROWS, type ApiSettings, apiSettings } from '../options/service-settings.ts'
import { Api } from '../service/api.ts'
import { Groups, type GroupType } from '../service/groups.ts'
import { chooseProject } from '../service/key-owner.ts'

/** The options of a command that reads the project. */
type ApiSessionOptions = Options<Values<typeof API_ROWS>>

/** Waits that are shorter than this are not worth a line. */
const TOLD_FROM_MS = 2000

/** Opens a project API that ends with the command and says on stderr why it waits. */
export function openApi(
  settings: ApiSettings,
  { interrupted, telemetry }: Pick<Io, 'interrupted' | 'telemetry'>,
): Api {
  return new Api({
    settings,
    signal: interrupted,
    onWait: ({ ms, why }) => {
      if (ms < TOLD_FROM_MS) return
      telemetry.note('posthaul', `waiting ${Math.ceil(ms / 1000)} s: ${why}`)
    },
  })
}

/** Does the work with the project API that the options name, and closes it then. */
export async function withApi<T>(
  options: ApiSessionOptions,
  io: Io,
  work: (api: Api) => Promise<T>,
): Promise<T> {
  const api = openApi(await apiSettings(options, io.stdin), io)
  try {
    return await work(api)
  } finally {
    await api.close()
  }
}

/** Does the work with the groups of the chosen project. */
export function withGroups<T>(
  options: ApiSessionOptions,
  io: Io,
  work: (groups: Groups) => Promise<T>,
): Promise<T> {
  return withApi(options, io, async (api) => work(new Groups({ api, projectId: await chooseProject(api) })))
}

/** The project's group type with that index or name. */
export async function chooseType(groups: Groups, given: string): Promise<GroupType> {
  const types = await groups.types()
  const [type, ...more] = types.filter(({ index, name }) => String(index) === given || name === given)
  if (type && more.length === 0) return type
  if (type)
    throw new PosthaulError(`${given} is the index of one group type, and the name of another`, {
      code: 'usage',
      hint: `say it by the other: ${[type, ...more].map(({ index, name }) => (name === given ? index : JSON.stringify(name))).join(' or ')}`,
    })
  const known = types.map(({ index, name }) => `${index} (${name})`).join(', ')
  throw new PosthaulError(`this project has no group type ${JSON.stringify(given)}`, {
    code: 'usage',
    hint: known ? `its types are ${known}` : 'it has no group types yet: no event has named a group',
  })
}
