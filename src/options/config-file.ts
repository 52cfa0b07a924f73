import { PosthaulError } from '../errors.ts'
import { errnoOf, fileError } from '../store/file-error.ts'
import { readWhole } from '../store/read-file.ts'
import { nearest } from '../text/nearest.ts'
import { MIB } from '../text/units.ts'
import { type Env, isTrueOrFalse, type Row } from './row.ts'
import { SETTINGS } from './settings.ts'
import { refuseKeysInConfig } from './stray-keys.ts'
import { readText } from './values.ts'

/** Settings nest two deep. What is deeper is not named in full, since names of all depths would fill the memory. */
const DEEPEST = 3

interface JsonPlaces {
  /** Where the value of each member begins, by dotted path; '' is the whole. */
  readonly places: ReadonlyMap<string, number>
  /** The first member that is there twice. JSON.parse takes the last one, without a word. */
  readonly twice: string | undefined
}

function placesIn(text: string): JsonPlaces {
  const places = new Map<string, number>()
  let twice: string | undefined
  const open: string[] = []
  let key = ''
  for (const { 0: token, 1: colon, index } of text.matchAll(
    /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]|[^\s,:{}[\]"]+/g,
  )) {
    if (colon !== undefined) {
      const name = JSON.parse(token.slice(0, -colon.length))
      key = open.length > DEEPEST ? name : `${open.at(-1) ?? ''}${name}`
      if (open.length <= DEEPEST && places.has(key)) twice ??= key
    } else if (token === '}' || token === ']') {
      open.pop()
    } else {
      if (open.length <= DEEPEST) places.set(key, index)
      if (token === '{' || token === '[') open.push(key === '' ? '' : `${key}.`)
    }
  }
  return { places, twice }
}

/** The place of a character, as `line:column` from 1. */
function lineAndColumn(text: string, index: number): string {
  const before = text.slice(0, index).split('\n')
  return `${before.length}:${before.at(-1)!.length + 1}`
}

/** The config file that is looked for in the current folder. */
const CONFIG_FILE = 'posthaul.config.json'
const MOST_BYTES = MIB
const EXAMPLE = '{ "region": "eu", "import": { "lanes": 4 } }'

/** The settings of a config file, by dotted key. Each is valid for the option of that key. */
export type ConfigFile = ReadonlyMap<string, Setting>

interface Setting {
  readonly text: string
  /** Its name in messages, and its place: `region in posthaul.config.json:2:13`. */
  readonly from: string
}

type At = (key: string) => string

// Rows with the same key are one setting; commands show it with different help.
const KNOWN: ReadonlyMap<string, Row> = new Map(
  SETTINGS.flatMap((row) => (row.config === undefined ? [] : [[row.config, row]])),
)

/** Reads `path`, or `posthaul.config.json` of the current folder; only a named file has to exist. */
export async function loadConfigFile(path: string | undefined, env: Env): Promise<ConfigFile> {
  const name = path ?? CONFIG_FILE
  let text: string
  try {
    text = (await readWhole(name, { mostBytes: MOST_BYTES, pipe: true })).toString('utf8')
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
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const at = /at position (\d+)/.exec(String(cause))?.[1]
    const place = lineAndColumn(text, at === undefined ? text.length : Number(at))
    throw new PosthaulError(`${name}:${place} is not valid JSON`, {
      code: 'config',
      hint: `look for a comma or a quote that is missing, or too much, at or just before this place; such as: ${EXAMPLE}`,
      cause,
    })
  }
  const { places, twice } = placesIn(text)
  const at = (key: string) => `${name}:${lineAndColumn(text, places.get(key) ?? 0)}`
  if (twice !== undefined)
    throw new PosthaulError(`${at(twice)}: ${twice} is there twice`, {
      code: 'config',
      hint: 'leave one of the two out',
    })
  const settings = settingsOf(value, '', at)
  for (const [key, setting] of settings) readText(KNOWN.get(key)!, setting.text, setting.from)
  return new Map(settings)
}

/** The settings of an object and of the objects in it. `path`: '' for the file, else the object's key and a dot. `at`: the place of a key. */
function settingsOf(value: unknown, path: string, at: At): [string, Setting][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const key = path.slice(0, -1)
    throw new PosthaulError(`${at(key)}: ${key || 'the file'}: expected names with values between { and }`, {
      code: 'config',
      hint: `such as: ${EXAMPLE}`,
    })
  }
  return Object.entries(value).flatMap(([member, setting]): [string, Setting][] => {
    const key = `${path}${member}`
    if ([...KNOWN.keys()].some((known) => known.startsWith(`${key}.`)))
      return settingsOf(setting, `${key}.`, at)
    if (!KNOWN.has(key)) throw unknownSetting(member, path, at)
    const isSwitch = typeof setting === 'boolean' && isTrueOrFalse(KNOWN.get(key)!)
    if (typeof setting === 'string' || typeof setting === 'number' || isSwitch)
      return [[key, { text: String(setting), from: `${key} in ${at(key)}` }]]
    throw new PosthaulError(`${at(key)}: ${key}: expected text or a number`, {
      code: 'config',
      hint: `such as: ${EXAMPLE}`,
    })
  })
}

function unknownSetting(member: string, path: string, at: At): PosthaulError {
  const here = [...KNOWN.keys()].filter((key) => key.startsWith(path))
  const known = [...new Set(here.map((key) => key.slice(path.length).split('.')[0]!))]
  const meant = nearest(member, known)
  return new PosthaulError(`${at(`${path}${member}`)}: ${path}${member} is not a setting`, {
    code: 'config',
    hint: meant ? `did you mean ${meant}?` : `known here: ${known.join(', ')}`,
  })
}
