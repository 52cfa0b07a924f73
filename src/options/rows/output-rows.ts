import { row } from '../row.ts'

// How a command reports.

export const JSON_SUMMARY = row({ flag: '--json', help: 'print the summary as one JSON object on stdout' })

export const FORMAT = row({
  flag: '--format <name>',
  choices: ['table', 'json', 'ndjson', 'csv'],
  otherwise: 'table on a terminal, else ndjson',
  help: 'how rows are written',
})
