import type { PaceLine } from '../../delivery/index.ts'
import { MS_PER_MINUTE, mendedCommand } from '../../text/index.ts'
import { shareOf } from '../status/status.ts'
import { cutText, EXAMPLE_CHARS } from './bounds.ts'
import type { FoundImport } from './import-found.ts'
import { importPart } from './import-parts.ts'
import { rejectReasons } from './reject-examples.ts'
import type { ImportPart, PacePart, RejectsPart } from './report-data.ts'

/** Pauses that a page names: the longest. */
const MOST_PAUSES = 200

/** An import that runs writes a line each minute. A gap of more than this is the time between two runs. */
const GAP_MS = 2.5 * MS_PER_MINUTE

type Pause = PacePart['pauses'][number]

/** How fast an import was, and when it waited. Lines are in the order in which they were written. */
export function pacePart(
  input: string,
  lines: readonly PaceLine[],
  capPerMinute: number | undefined,
): PacePart {
  const points: { at: number; perMinute: number }[] = []
  const pauses: Pause[] = []
  let before: number | undefined
  for (const line of lines) {
    const at = Date.parse(line.at)
    // A clock that was put back would draw the line backwards.
    if (Number.isNaN(at) || (before !== undefined && at < before)) continue
    const began = at - MS_PER_MINUTE
    if (before !== undefined && at - before > GAP_MS) {
      pauses.push({ from: before, to: began, reason: 'no run was under way' })
      points.push({ at: before + 1, perMinute: 0 }, { at: began, perMinute: 0 })
    }
    if (line.waits > 0) {
      const reason = cutText(line.last_error?.reason ?? 'the service asked to wait', EXAMPLE_CHARS)
      pauses.push({ from: at - Math.max(1, Math.round(line.waited_ms)), to: at, reason })
    }
    // A line tells of the minute before it. Without that minute's beginning the first line of a run would be a point.
    if (before === undefined || at - before > GAP_MS) points.push({ at: began, perMinute: line.per_minute })
    points.push({ at, perMinute: line.per_minute })
    before = at
  }
  const longest = [...pauses].sort((a, b) => b.to - b.from - (a.to - a.from)).slice(0, MOST_PAUSES)
  return {
    input: cutText(input),
    ...(capPerMinute !== undefined && { capPerMinute }),
    points,
    pauses: longest.sort((a, b) => a.from - b.from),
    otherPauses: pauses.length - longest.length,
  }
}

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
