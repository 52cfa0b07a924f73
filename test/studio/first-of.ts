import { join } from 'node:path'
import { listInputs } from '../../src/inputs/list.ts'
import { firstMapping } from '../../src/studio/first-mapping.ts'
import { folderOf } from '../helpers/folder.ts'

/**
 * What `init` makes of files (name: content) in 2026, or of one file, whose first letter tells JSON lines from CSV. `asked`: its
 * questions, a line each; `lines`: each after the key that it is about.
 */
export async function firstOf(given: Readonly<Record<string, string | Buffer>> | string | Buffer) {
  const isOne = typeof given === 'string' || Buffer.isBuffer(given)
  const files = isOne ? { [String(given).startsWith('{') ? 'x.ndjson' : 'x.csv']: given } : given
  const [folder, asked] = [folderOf(files), Object.keys(files)]
  const inputs = await listInputs(asked.map((name) => join(folder, name)))
  const [now, { signal: stop }] = [Date.UTC(2026, 0, 1) * 1000, new AbortController()]
  const first = await firstMapping(inputs, { asked, next: 'posthaul', now, stop })
  return {
    ...first,
    asked: first.questions.map(({ text }) => text).join('\n'),
    lines: first.questions.map(({ about, text }) => `${about}: ${text}`),
  }
}
