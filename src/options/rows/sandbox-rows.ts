import { row } from '../row.ts'
import { text, wholeNumber } from '../values.ts'

// The sandbox, and the demo that runs against one.

export const PORT = row({
  flag: '--port <n>',
  parse: wholeNumber(0, 65_535),
  default: '8010',
  help: 'port to listen on; 0 takes a free one',
})

export const LISTEN_HOST = row({
  flag: '--host <address>',
  parse: text,
  default: '127.0.0.1',
  help: 'address to listen on',
})

export const DATA = row({
  flag: '--data <folder>',
  otherwise: 'a temporary one',
  help: 'folder that keeps events and keys',
})

export const SANDBOX_PROJECT_KEY = row({
  flag: '--project-key <phc_…>',
  otherwise: 'made up',
  help: 'the project key whose events are kept',
})

export const FAULT = row({
  flag: '--fault <spec...>',
  otherwise: 'none',
  help: 'misbehave on purpose; see below',
})

export const PROJECT_SETTING = row({
  flag: '--project-setting <spec...>',
  otherwise: "the service's own",
  help: 'set up the project; see below',
})

export const STORAGE = row({
  flag: '--storage <form>',
  choices: ['json', 'table'],
  default: 'json',
  help: 'store events as PostHog does from 30 November 2026 (json), or as before and on servers that were not changed (table)',
})

export const SEED = row({
  flag: '--seed <n>',
  parse: wholeNumber(0),
  default: '1',
  help: 'seed of the faults',
})

export const EXPOSE = row({ flag: '--expose', help: 'allow a --host that other machines can reach' })

export const DIR = row({
  flag: '--dir <folder>',
  otherwise: 'a new temporary one',
  help: 'an empty folder to work in',
})

export const DEMO_EVENTS = row({
  flag: '--events <n>',
  parse: wholeNumber(100),
  default: '20,000',
  help: 'events in the history, 100 at least',
})
