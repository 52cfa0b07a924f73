/*
 * Keys in the wrong place. A key that was pasted into another option, variable or setting would be printed in an error,
 * looked up as a host name or stored in a state file. So every value is looked at before anything else is done with it:
 * the arguments before they are parsed, variables and settings before any of them is read.
 *
 * What counts as a key: PostHog's own by their shape (`phc_…`, `phx_…` and their kin), alone or as the host or the user of
 * an address; a long one anywhere in a value, in a path too. A short one in a path is a name (`./phc_notes.ndjson`).
 * Other vendors' keys have no shape that an id or a name could not have: a value that is a secret of this environment
 * counts, and one that contains a long secret.
 */
import { PosthaulError } from '../errors.ts'
import { VARIABLES } from './environment.ts'
import type { Env } from './row.ts'

/** The variables that hold secrets of others. */
const OTHER_SECRETS = VARIABLES.filter(({ secret }) => secret === 'other').map(({ name }) => name)
/** The variables that hold secrets, all of them. */
export const SECRET_VARIABLES: readonly string[] = VARIABLES.filter(
  ({ secret }) => secret === 'posthog' || secret === 'other',
).map(({ name }) => name)
/** All others: none holds a secret. */
const PLAIN_VARIABLES = [
  ...VARIABLES.filter(({ secret }) => secret === undefined).map(({ name }) => name),
  ...['http_proxy', 'https_proxy', 'no_proxy'],
]

// Other letters begin names that are no keys: php_version.
const KEY = 'ph[csx]_\\w'
const ALONE = new RegExp(`(?:^|=)\\W*${KEY}*[^\\w./\\\\]*$`)
const IN_ADDRESS = new RegExp(`://(?:[^/]*[@:])?${KEY}`)
const LONG_KEY = /(?<![a-z\d])ph[acrsx]_[a-z\d]{20,}/i
// Of a whole config file: a key where a JSON value is, with its quotes or without.
const IN_JSON = new RegExp(`[":\\s,[]${KEY}*[",\\s}\\]]`)

/** A shorter secret can be a word that a value contains by chance. */
const LONG_SECRET = 16
const SHORT_SECRET = 8

/** Throws `usage` if an argument holds a key. `argv`: the words after `posthaul`; `isSwitch`: true of an option without a value. */
export function refuseKeysInArguments(
  argv: readonly string[],
  env: Env,
  isSwitch: (word: string) => boolean,
): void {
  for (const [at, word] of argv.entries()) {
    const name = nameOf(word, isSwitch(argv[at - 1] ?? '') ? '' : (argv[at - 1] ?? ''))
    // The one option that takes a key: it is that of a service on this machine.
    if (argv[0] === 'sandbox' && name === '--project-key') continue
    const what = strayKey(word, env)
    if (what === undefined) continue
    throw new PosthaulError(`${name} holds ${what}: arguments show in every process list`, {
      code: 'usage',
      hint: `make a new key, since others may have seen this one; ${WHERE}`,
    })
  }
}

/** Throws `config` if a variable holds a key that is not its own. */
export function refuseKeysInVariables(env: Env): void {
  const plain = [...SECRET_VARIABLES.map((name) => `${name}_FILE`), ...PLAIN_VARIABLES]
  for (const name of plain) refuse(name, strayKey(env[name] ?? '', env))
  // The secrets of others are sent to them.
  for (const name of OTHER_SECRETS)
    refuse(name, looksLikeKey(env[name] ?? '') ? 'a key of PostHog' : undefined)
}

/** Throws `config` if the text of a config file holds a key. */
export function refuseKeysInConfig(text: string, name: string, env: Env): void {
  if (!IN_JSON.test(text) && !IN_ADDRESS.test(text) && strayKey(text, env) === undefined) return
  throw new PosthaulError(`${name} contains a key; config files are shared and committed, keys are not`, {
    code: 'config',
    hint: 'put the key in a file with mode 0600 and name that file as projectKeyFile or personalKeyFile',
  })
}

const WHERE =
  'the project key goes into POSTHOG_PROJECT_API_KEY, a personal key into POSTHOG_PERSONAL_API_KEY'

function refuse(name: string, what: string | undefined): void {
  if (what === undefined) return
  throw new PosthaulError(`${name} holds ${what}, which does not belong there and was not used`, {
    code: 'config',
    hint: `take it out of ${name}; ${WHERE}`,
  })
}

/** What secret a value holds, in words that do not repeat it; undefined if none. */
function strayKey(value: string, env: Env): string | undefined {
  if (looksLikeKey(value)) return 'a key'
  const owner = SECRET_VARIABLES.find((name) => {
    const secret = env[name]?.trim() ?? ''
    return secret.length < LONG_SECRET
      ? secret.length >= SHORT_SECRET && value.trim() === secret
      : value.includes(secret)
  })
  return owner && `the value of ${owner}`
}

function looksLikeKey(value: string): boolean {
  return ALONE.test(value) || IN_ADDRESS.test(value) || LONG_KEY.test(value)
}

/** The option that a word is for, as messages name it. `before`: the word that it may be the value of. */
function nameOf(word: string, before: string): string {
  const own = /^(--?[a-z][a-z-]*)=/.exec(word)?.[1]
  return own ?? (/^--?[a-z][a-z-]*$/.test(before) ? before : 'an argument')
}
