import { row } from '../row.ts'

// How an import is taken back.

export const UNDO_REQUEST = row({
  flag: '--request',
  help: 'ask the project to delete the events; without it nothing is asked',
})

export const UNDO_STATUS = row({
  flag: '--status',
  help: 'how far the request is, and what is left once it is done',
})

export const PROJECT_NAME = row({
  flag: '--project-name <name>',
  otherwise: 'asked for on a terminal',
  help: "with --request: the project's name, to show that it is meant",
})
