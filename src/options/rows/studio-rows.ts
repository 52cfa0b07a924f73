import { row } from '../row.ts'
import { recordNumber, uuid, wholeNumber } from '../values.ts'

// The studio.

export const STUDIO_PORT = row({
  flag: '--port <n>',
  parse: wholeNumber(0, 65_535),
  default: '0',
  help: 'port to listen on; 0 takes a free one',
})

export const STUDIO_SAMPLE = row({
  flag: '--sample <n>',
  parse: wholeNumber(1, 100_000),
  default: '2,000',
  help: 'records to work with, spread over the whole input',
})

export const INIT_OUT = row({
  flag: '--out <file>',
  otherwise: 'standard output',
  help: 'where the mapping file is written; never over a file',
})

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

export const AS_TEST = row({
  flag: '--as-test',
  help: 'make a test of the record, and add it to those of the mapping file; without --map it is printed',
})
