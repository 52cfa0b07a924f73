import { row } from './row.ts'
import { type Parse, parseOrigin } from './values.ts'

// Where the service is, and with which key: the options that commands have in common.

export const REGION = row({
  flag: '--region <name>',
  env: 'POSTHOG_REGION',
  config: 'region',
  choices: ['us', 'eu'],
  help: "region of PostHog's cloud",
})

export const HOST = row({
  flag: '--host <url>',
  env: 'POSTHOG_HOST',
  config: 'host',
  parse: parseOrigin,
  help: 'address of your own installation',
})

export const INGEST_HOST = row({
  env: 'POSTHOG_INGEST_HOST',
  config: 'ingestHost',
  parse: parseOrigin,
  help: 'address for events, if it is another one',
})

const projectId: Parse<string> = (text) => {
  if (/^\d{1,18}$/.test(text)) return text
  throw new RangeError(
    text === '@current'
      ? 'that is whichever project was opened last; expected the number that `posthaul projects list` shows'
      : 'expected the number that `posthaul projects list` shows',
  )
}

export const PROJECT_ID = row({
  flag: '--project-id <id>',
  env: 'POSTHOG_PROJECT_ID',
  config: 'projectId',
  parse: projectId,
  otherwise: 'the only one the key sees',
  help: 'the project, as `posthaul projects list` shows it',
})

export const CONFIG = row({
  flag: '--config <file>',
  shown: 'common',
  otherwise: 'posthaul.config.json here, if there is one',
  help: 'JSON file of settings',
})

// There is no option for a key itself, because arguments show in every process list.

export const PROJECT_KEY_STDIN = row({
  flag: '--project-key-stdin',
  shown: 'seldom',
  help: 'read the project key from standard input',
})

export const PERSONAL_KEY_STDIN = row({
  flag: '--personal-key-stdin',
  shown: 'seldom',
  help: 'read the personal key from standard input',
})

export const PROJECT_KEY_FILE = row({
  config: 'projectKeyFile',
  help: 'file of mode 0600 that holds the project key',
})

export const PERSONAL_KEY_FILE = row({
  config: 'personalKeyFile',
  help: 'file of mode 0600 that holds the personal key',
})
