import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { CheckpointState } from '../../delivery/checkpoint.ts'
import type { ImportState } from '../../delivery/import-state.ts'
import { lastPace, type PaceLine } from '../../delivery/pace-log.ts'
import { PosthaulError } from '../../errors.ts'
import { pendingOf, shareOf } from '../../imports/standing.ts'
import {
  openState,
  paceFile,
  type StateOptions,
  type StatePlace,
  statePlace,
} from '../../imports/state-place.ts'
import { standingAt } from '../../imports/undo-standing.ts'
import { isAtWork, requestWords, type UndoSeen, undoneWords } from '../../imports/undo-words.ts'
import type { Verified } from '../../imports/verified.ts'
import { lastVerified } from '../../imports/verify-of.ts'
import type { Io } from '../../io.ts'
import { LineFramer } from '../../record/lines.ts'
import { parseReject } from '../../record/reject.ts'
import { isS3, parseS3, s3Address } from '../../store/s3-location.ts'
import { mendedCommand } from '../../text/command-line.ts'
import { MIB } from '../../text/units.ts'
import { mostFirst } from '../../text/words.ts'
import { cutText, EXAMPLE_CHARS, MOST_ROWS, topOf } from './bounds.ts'
import type { ImportPart, LeftOutPart, RejectReason, RejectsPart } from './report-data.ts'

/** How imports went. */
export function importsOf(runs: readonly FoundImport[]): ImportPart[] {
  return runs.map(({ files, state, pace, undo }) =>
    importPart(files.checkpointPath, state, shareOf(state, pace), undo),
  )
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

/** An import as its checkpoint says. `share`: of the input that is settled, 0 to 1, if that is known. */
function importPart(
  path: string,
  state: CheckpointState,
  share: number | undefined,
  undo?: UndoSeen,
): ImportPart {
  const { input, tool, started_at, saved_at, counts, own, caps } = state
  return {
    ...{ tool, started_at, saved_at, counts, own, caps },
    input: cutText(input.name),
    checkpoint: cutText(path),
    state: undo ? undoneWords(undo.request) : state.done ? 'done' : 'unfinished',
    ...(undo && { undo: cutText(undoText(undo)) }),
    unconfirmed: state.remarks.unknown,
    pending: pendingOf(state),
    share: share && Math.min(1, Math.max(0, share)),
  }
}

function undoText(undo: UndoSeen): string {
  const words = `${requestWords(undo.request)}.`
  return isAtWork(undo) ? `${words} How far that is says ${undo.follow}` : words
}

/** What an import left out; empty where that is nothing. */
export function importLeftOut({ input, filters, notes }: CheckpointState): LeftOutPart[] {
  const { mends, ignored_members: ignored } = notes
  const records = topOf(filters, MOST_ROWS)
  const members = topOf(ignored, MOST_ROWS)
  const mended = topOf({ ...mends }, MOST_ROWS).top
  if (records.top.length + members.top.length + mended.length === 0) return []
  return [
    {
      input: cutText(input.name),
      records,
      members: members.top.map(({ name, count }) => ({ name, fate: 'not read by the service', count })),
      otherMembers: members.otherNames,
      duplicate: 0,
      earlier: 0,
      mends: mended,
    },
  ]
}

/** An import whose checkpoint was found. */
export interface FoundImport {
  readonly place: StatePlace
  readonly files: ImportState
  readonly state: CheckpointState
  readonly pace: PaceLine | undefined
  readonly undo: UndoSeen | undefined
}

/** What lies at the state of a dataset's import. */
export interface ImportSight {
  readonly place: StatePlace
  readonly run: FoundImport | undefined
  readonly verified: Verified | undefined
}

/**
 * Looks for the state of an import: where the options say, beside the input, or where `posthaul run` keeps it. What is
 * there and can't be read is told to `missing`.
 */
export async function findImport(options: StateOptions, io: Io, missing: string[]): Promise<ImportSight> {
  const places = [statePlace(options, io.env), ...ofRun(options, io)]
  for (const place of places) {
    const found = await lookAt(place, missing)
    if (found.run || found.verified) return found
  }
  return { place: places[0]!, run: undefined, verified: undefined }
}

/** What lies at one place. */
async function lookAt(place: StatePlace, missing: string[]): Promise<ImportSight> {
  try {
    const files = await openState(place)
    const loaded = await files.load()
    const verified = await lastVerified(place)
    if (!loaded) return { place, run: undefined, verified }
    const pace = await lastPace(await paceFile(place))
    if (loaded.fellBack) missing.push(`${files.checkpointPath} is damaged: what was saved before it is shown`)
    const { state } = loaded
    const undo = await standingAt(place, state)
    return { place, run: { place, files, state, pace, undo }, verified }
  } catch (error) {
    if (!(error instanceof PosthaulError) || error.code === 'interrupted') throw error
    missing.push(`the state of the import could not be read: ${error.message}`)
    return { place, run: undefined, verified: undefined }
  }
}

/** `run` keeps datasets in `<store>/events/` and the state of their imports in `<store>/state`. */
function ofRun({ input, checkpoint, state }: StateOptions, { env }: Io): StatePlace[] {
  if (checkpoint !== undefined || state !== undefined) return []
  if (!isS3(input)) {
    const home = join(dirname(dirname(resolve(input))), 'state')
    return existsSync(home) ? [statePlace({ input, state: home }, env)] : []
  }
  const own = parseS3(input)
  const above = own.prefix.split('/').slice(0, -2)
  if (own.prefix.split('/').length < 2) return []
  const home = s3Address({ ...own, prefix: above.join('/') }, 'state')
  return [statePlace({ input, state: home }, env)]
}

/** Reasons that a page names, and examples of each. */
const MOST_REASONS = 20
const MOST_EXAMPLES = 3

/** So much of a file of rejects is read: the first of each reason are mostly near its beginning. */
const MOST_BYTES = 32 * MIB

type Example = RejectReason['examples'][number]

/** The reasons, most frequent first, with examples from the beginning of the file of rejects. */
export async function rejectReasons(
  counts: Readonly<Record<string, number>>,
  chunks: AsyncIterable<Buffer> | undefined,
): Promise<{ readonly reasons: RejectReason[]; readonly otherReasons: number }> {
  const rows = mostFirst(Object.entries(counts))
  const named = rows.slice(0, MOST_REASONS)
  const examples = new Map<string, Example[]>(named.map(([reason]) => [reason, []]))
  if (chunks !== undefined && named.length > 0) await readInto(examples, chunks)
  return {
    reasons: named.map(([name, count]) => ({ reason: cutText(name), count, examples: examples.get(name)! })),
    otherReasons: rows.length - named.length,
  }
}

async function readInto(examples: Map<string, Example[]>, chunks: AsyncIterable<Buffer>): Promise<void> {
  const framer = new LineFramer({
    line(bytes, start, end) {
      const reject = parseReject(bytes, start, end)
      const found = reject && examples.get(reject.reason)
      if (!reject || !found || found.length >= MOST_EXAMPLES) return
      found.push({
        line: reject.line,
        ...(reject.file !== undefined && { source: cutText(reject.file) }),
        message: cutText(reject.message, EXAMPLE_CHARS),
        record: cutText(reject.record ?? '(too long to be kept)', EXAMPLE_CHARS),
      })
    },
    tooLong: () => undefined,
  })
  let bytes = 0
  for await (const chunk of chunks) {
    framer.push(chunk)
    bytes += chunk.length
    if (bytes > MOST_BYTES || [...examples.values()].every((found) => found.length >= MOST_EXAMPLES)) return
  }
  framer.end()
}
