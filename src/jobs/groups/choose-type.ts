import { PosthaulError } from '../../errors.ts'
import type { Groups, GroupType } from '../../service/index.ts'

/** The project's group type with that index or name. */
export async function chooseType(groups: Groups, given: string): Promise<GroupType> {
  const types = await groups.types()
  const type = types.find(({ index }) => String(index) === given) ?? types.find(({ name }) => name === given)
  if (type) return type
  const known = types.map(({ index, name }) => `${index} (${name})`).join(', ')
  throw new PosthaulError(`this project has no group type ${JSON.stringify(given)}`, {
    code: 'usage',
    hint: known ? `its types are ${known}` : 'it has no group types yet: no event has named a group',
  })
}
