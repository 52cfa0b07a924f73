import { row } from '../row.ts'
import { wholeNumber } from '../values.ts'

// Which groups are read, and how.

export const TYPE = row({
  flag: '--type <type>',
  help: "a group type's index or name; posthaul groups types lists them",
})

export const ALL_TYPES = row({ flag: '--all-types', help: 'the groups of every type' })

export const KEY = row({ flag: '--key <key>', help: "the group's key" })

export const EVENTS = row({
  flag: '--events',
  help: 'also count its events, and say when the first and the last happened',
})

export const SEARCH = row({
  flag: '--search <text>',
  help: 'only groups with this in a property, or as their key',
})

export const LIMIT = row({
  flag: '--limit <n>',
  parse: wholeNumber(1),
  default: '100',
  help: 'at most this many groups',
})

export const EVERY_PAGE = row({ flag: '--all', help: 'every group, without a limit' })

export const PROPERTY = row({ flag: '--property <name>', help: 'the property' })

export const VALUE = row({ flag: '--value <text>', help: 'only values that contain this' })

export const GROUPS_VIA = row({
  flag: '--via <way>',
  choices: ['rest', 'query'],
  otherwise: 'as the key allows',
  help: 'read by the list endpoint or by the query endpoint',
})
