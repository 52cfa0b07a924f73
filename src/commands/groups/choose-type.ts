import { PosthaulError } from '../../errors.ts'
import type { Groups, GroupType } from '../../service/groups.ts'

/** The group type of an index or name, as the project has them. */
export async function chooseType(groups: Groups, given: string): Promise<GroupType> {
  const types = await groups.types()
  const type = types.find(({ index }) => String(index) === given) ?? types.find(({ name }) => name === given)
  if (type) return type
  const known = types.map(({ index, name }) => `${index} (${name})`).join(', ')
  throw new PosthaulError(`this project has no group type ${JSON.stringify(given)}`, {
    code: 'usage',
    hint: known ? `its types are ${known}` : 'it has no group types at all: no event has named a group yet',
  })
}
