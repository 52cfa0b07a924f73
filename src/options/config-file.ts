import { PosthaulError } from '../errors.ts'
import { errnoOf, fileError } from '../store/file-error.ts'
import { readWhole, utf8Of } from '../store/read-file.ts'
import { isJsonObject, parseOnce, TWICE } from '../text/json.ts'
import { nearest } from '../text/nearest.ts'
import { MIB } from '../text/units.ts'
import { type Env, isTrueOrFalse, type Row } from './row.ts'
import { SETTINGS } from './settings.ts'
import { refuseKeysInConfig } from './stray-keys.ts'
import { readText } from './values.ts'

/** The config file that is looked for in the current folder. */
const CONFIG_FILE = 'posthaul.config.json'
const MOST_BYTES = MIB
const EXAMPLE = '{ "region": "eu", "import": { "lanes": 4 } }'

/** The settings of a config file, by dotted key. Each is valid for the option of that key. */
export type ConfigFile = ReadonlyMap<string, Setting>

interface Setting {
  readonly text: string
  /** Its name in messages: `region in posthaul.config.json`. */
  readonly from: string
}

// Rows with the same key are one setting; commands show it with different help.
const KNOWN: ReadonlyMap<string, Row> = new Map(
  SETTINGS.flatMap((row) => (row.config === undefined ? [] : [[row.config, row]])),
)

/** Reads `path`, or `posthaul.config.json` of the current folder; only a named file has to exist. */
export async function loadConfigFile(path: string | undefined, env: Env): Promise<ConfigFile> {
  const name = path ?? CONFIG_FILE
  let text: string
  try {
    text = utf8Of(await readWhole(name, { mostBytes: MOST_BYTES, pipe: true }), name).replace(/^\uFEFF/, '')
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT' && path === undefined) return new Map()
    throw fileError(cause, 'read', name)
  }
  return parseConfig(text, name, env)
}

/** Validates the text of a config file. `name`: the file's name in errors. `env`: the secrets that it must not hold. */
export function parseConfig(text: string, name: string, env: Env): ConfigFile {
  // First, because messages repeat values and end up in logs.
  refuseKeysInConfig(text, name, env)
  const settings = settingsOf(parsedConfig(text, name), '', name)
  for (const [key, setting] of settings) readText(KNOWN.get(key)!, setting.text, setting.from)
  return new Map(settings)
}

function parsedConfig(text: string, name: string): unknown {
  try {
    return parseOnce(text)
  } catch (cause) {
    const { message } = cause as Error
    if (message === TWICE) throw refused(`${name}: ${message}`, 'leave one of the two out')
    const at = /at position (\d+)/.exec(message)?.[1]
    const line = text.slice(0, at === undefined ? text.length : Number(at)).split('\n').length
    const hint = `look for a comma or a quote that is missing, or too much, at or just before this line; such as: ${EXAMPLE}`
    throw refused(`${name}:${line} is not valid JSON`, hint)
  }
}

/** The settings of an object and of the objects in it. `path`: '' for the file, else the object's key and a dot. */
function settingsOf(value: unknown, path: string, name: string): [string, Setting][] {
  if (!isJsonObject(value)) {
    const key = path.slice(0, -1) || 'the file'
    throw refused(`${name}: ${key}: expected names with values between { and }`, `such as: ${EXAMPLE}`)
  }
  return Object.entries(value).flatMap(([member, setting]): [string, Setting][] => {
    const key = `${path}${member}`
    if ([...KNOWN.keys()].some((known) => known.startsWith(`${key}.`)))
      return settingsOf(setting, `${key}.`, name)
    if (!KNOWN.has(key)) throw refused(`${name}: ${key} is not a setting`, hintFor(member, path))
    const isSwitch = typeof setting === 'boolean' && isTrueOrFalse(KNOWN.get(key)!)
    if (typeof setting === 'string' || typeof setting === 'number' || isSwitch)
      return [[key, { text: String(setting), from: `${key} in ${name}` }]]
    throw refused(`${name}: ${key}: expected text or a number`, `such as: ${EXAMPLE}`)
  })
}

function hintFor(member: string, path: string): string {
  const here = [...KNOWN.keys()].filter((key) => key.startsWith(path))
  const known = [...new Set(here.map((key) => key.slice(path.length).split('.')[0]!))]
  const meant = nearest(member, known)
  return meant ? `did you mean ${meant}?` : `known here: ${known.join(', ')}`
}

function refused(message: string, hint: string): PosthaulError {
  return new PosthaulError(message, { code: 'config', hint })
}
