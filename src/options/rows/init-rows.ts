import { row } from '../row.ts'

export const INIT_OUT = row({
  flag: '--out <file>',
  otherwise: 'standard output',
  help: 'where the mapping file is written; never over a file',
})
