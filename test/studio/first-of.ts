import { join } from 'node:path'
import { listInputs } from '../../src/inputs/list.ts'
import { type FirstMapping, firstMapping } from '../../src/studio/first-mapping.ts'
import { folderOf } from '../inputs/collected.ts'

/** What `init` makes of files (name: content), in 2026. `asked`: its questions, a line each. */
export async function firstOf(
  files: Readonly<Record<string, string | Buffer>>,
): Promise<FirstMapping & { readonly asked: string }> {
  const folder = await folderOf(files)
  const names = Object.keys(files)
  return firstAt(
    names.map((name) => join(folder, name)),
    names,
  )
}

/** The same of files that are there. */
async function firstAt(paths: readonly string[], asked = paths) {
  const stop = new AbortController().signal
  const now = Date.UTC(2026, 0, 1) * 1000
  const first = await firstMapping(await listInputs(paths), { asked, next: 'posthaul', now, stop })
  return { ...first, asked: first.questions.map(({ text }) => text).join('\n') }
}
