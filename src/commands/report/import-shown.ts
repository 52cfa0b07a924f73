import { mendedCommand } from '../../report/command-line.ts'
import { importPart } from '../../report/html/import-parts.ts'
import { pacePart } from '../../report/html/pace.ts'
import { rejectReasons } from '../../report/html/reject-examples.ts'
import type { ImportPart, PacePart, RejectsPart } from '../../report/html/report-data.ts'
import { shareOf } from '../../report/status.ts'
import type { FoundImport } from './import-found.ts'

/** How imports went, and how fast. */
export function importsOf(runs: readonly FoundImport[]): { imports: ImportPart[]; pace: PacePart[] } {
  return {
    imports: runs.map(({ files, state, pace }) =>
      importPart(files.checkpointPath, state, shareOf(state, pace.at(-1))),
    ),
    pace: runs
      .filter(({ pace }) => pace.length > 0)
      .map(({ state, pace }) => pacePart(state.input.name, pace, state.caps.events_per_minute)),
  }
}

/** What an import rejected; empty if that is nothing. */
export async function importRejects({ state, files }: FoundImport): Promise<RejectsPart[]> {
  if (state.counts.rejected === 0) return []
  return [
    {
      stage: 'import',
      input: state.input.name,
      file: files.rejects.path,
      total: state.counts.rejected,
      ...(await rejectReasons(state.reasons, files.rejects.read(state.rejects))),
      ...(state.command.length > 0 && { mend: mendedCommand(state.command) }),
    },
  ]
}
