import { type Command, Option } from 'commander'
import type { Io } from '../io.ts'
import { FORMATS, type Format } from '../report/rows.ts'

/** Adds `--format`; without it a terminal gets a table and a pipe NDJSON. */
export function addFormatFlag(command: Command): Command {
  return command.addOption(
    new Option(
      '--format <name>',
      'how rows are written; by default table on a terminal, else ndjson',
    ).choices(FORMATS),
  )
}

/** The format that was asked for, or the one that suits where stdout goes. */
export function formatOf(options: { readonly format?: Format }, io: Pick<Io, 'stdout'>): Format {
  return options.format ?? (io.stdout.isTTY ? 'table' : 'ndjson')
}
