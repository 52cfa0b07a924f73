import { mendedCommand } from '../../text/command-line.ts'
import { shareOf } from '../status/status.ts'
import type { FoundImport } from './import-found.ts'
import { importPart } from './import-parts.ts'
import { pacePart } from './pace.ts'
import { rejectReasons } from './reject-examples.ts'
import type { ImportPart, PacePart, RejectsPart } from './report-data.ts'

/** How imports went, and how fast. */
export function importsOf(runs: readonly FoundImport[]): { imports: ImportPart[]; pace: PacePart[] } {
  return {
    imports: runs.map(({ files, state, pace, undo }) =>
      importPart(files.checkpointPath, state, shareOf(state, pace.at(-1)), undo),
    ),
    pace: runs
      .filter(({ pace }) => pace.length > 0)
      .map(({ state, pace }) => pacePart(state.input.name, pace, state.caps.events_per_minute)),
  }
}

/** What an import rejected; empty if that is nothing. A file of rejects that was moved away is told to `missing`. */
export async function importRejects(
  { state, files }: FoundImport,
  missing: string[],
): Promise<RejectsPart[]> {
  if (state.counts.rejected === 0) return []
  const { path } = files.rejects
  let isThere = false as boolean
  async function* kept() {
    for await (const chunk of files.rejects.read(state.rejects)) {
      isThere = true
      yield chunk
    }
  }
  const reasons = await rejectReasons(state.reasons, kept())
  if (!isThere) missing.push(`${path} is gone, so the rejects have no examples`)
  return [
    {
      stage: 'import',
      input: state.input.name,
      ...(isThere && { file: path }),
      total: state.counts.rejected,
      ...reasons,
      ...(state.command.length > 0 && { mend: mendedCommand(state.command) }),
    },
  ]
}
