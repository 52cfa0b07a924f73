import { row } from '../row.ts'
import { recordNumber, uuid } from '../values.ts'

// Which record is explained.

export const LINE = row({
  flag: '--line <number>',
  parse: recordNumber,
  otherwise: 'the first record',
  help: "the record's line, row or element, as rejects have it; with several files name:number",
})

export const UUID = row({
  flag: '--uuid <uuid>',
  parse: uuid,
  help: 'the record that the event with this uuid was made of',
})

export const EXPLAINED_EVENT = row({
  flag: '--event <name>',
  help: "the first record of this event, by the source's name or by PostHog's",
})
