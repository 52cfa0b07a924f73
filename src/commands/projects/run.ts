import { withApi } from '../../imports/api-session.ts'
import { listProjects } from '../../service/key-owner.ts'
import { printing } from '../printing.ts'
import { plainView, writeRows } from '../rows.ts'
import type { OPTIONS } from './index.ts'

export const list = printing<typeof OPTIONS>((call, world) =>
  withApi(call, world, async (api) => {
    await writeRows(await listProjects(api), plainView('id', 'name'), call.values, world)
  }),
)
