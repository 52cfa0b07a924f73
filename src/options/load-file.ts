import { readFile } from 'node:fs/promises'
import { errnoOf, fileError } from '../store/file-error.ts'
import { type ConfigFile, parseConfig } from './schema.ts'

/** The config file that is looked for in the current folder. */
export const CONFIG_FILE = 'posthaul.config.json'

/** Reads `path`, or `posthaul.config.json` of the current folder; only a named file has to exist. */
export async function loadConfigFile(path?: string): Promise<ConfigFile> {
  const name = path ?? CONFIG_FILE
  let text: string
  try {
    text = await readFile(name, 'utf8')
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT' && path === undefined) return {}
    throw fileError(cause, 'read', name)
  }
  return parseConfig(text, name)
}
