import { row } from './row.ts'

// How a command reports.

export const JSON_SUMMARY = row({ flag: '--json', help: 'print the summary as one JSON object on stdout' })

export const FORMAT = row({
  flag: '--format <name>',
  choices: ['table', 'json', 'ndjson'],
  otherwise: 'table on a terminal, else ndjson',
  help: 'how rows are written',
})

export const PAGE = row({ flag: '--out <file>', help: 'the HTML file that is written' })

export const OVERWRITE = row({
  flag: '--overwrite',
  help: 'replace the file even if it is no report of posthaul',
})
