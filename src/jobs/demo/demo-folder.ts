import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { PosthaulError } from '../../errors.ts'
import { fileError, makeFolder } from '../../store/index.ts'

const MAPPING = `# What this company adds to the preset: its customers become groups.
preset: mixpanel
groups:
  company: properties.company
`

/** Name of a file that is there until the demo has ended. */
export const UNFINISHED = '.posthaul-demo'
/** What a demo makes in its folder: the state of its import stands beside the dataset. */
const MADE = /^(?:raw|mapping\.yaml|state|events(?:\..*)?)$/

export async function workFolder(dir: string | undefined): Promise<string> {
  if (dir === undefined) {
    return mkdtemp(join(tmpdir(), 'posthaul-demo-')).catch((error: unknown) => {
      throw fileError(error, 'make a folder in', tmpdir())
    })
  }
  await makeFolder(dir)
  const names = await readdir(dir).catch((error: unknown) => {
    throw fileError(error, 'list', dir)
  })
  // A demo that was cut short leaves a mark beside what it made: the same command begins anew.
  if (names.includes(UNFINISHED)) {
    for (const name of names.filter((one) => MADE.test(one)))
      await rm(join(dir, name), { recursive: true, force: true })
  } else if (names.length > 0) {
    throw new PosthaulError(`${dir} is not empty`, {
      code: 'usage',
      hint: 'name an empty folder, or leave --dir out',
    })
  }
  return resolve(dir)
}

export async function writeHistory(folder: string, lines: readonly string[]): Promise<void> {
  try {
    await writeFile(join(folder, UNFINISHED), '')
    await mkdir(join(folder, 'raw'))
    await writeFile(join(folder, 'raw', 'history.ndjson'), `${lines.join('\n')}\n`)
    await writeFile(join(folder, 'mapping.yaml'), MAPPING)
  } catch (error) {
    throw fileError(error, 'write to', folder)
  }
}
