import { LineFramer } from '../../record/lines.ts'
import { parseReject } from '../../record/reject.ts'
import type { EventsManifest } from '../../store/manifest.ts'
import { REJECTS } from '../../store/name.ts'
import { besideLocation } from '../../store/s3-location.ts'
import { mendedCommand } from '../../text/command-line.ts'
import { pathWord, posthaulLine } from '../../text/shell-word.ts'
import { MIB } from '../../text/units.ts'
import { mostFirst } from '../../text/words.ts'
import type { FoundImport } from './find-import.ts'
import type { Opened, RejectReason, RejectsPart } from './report-data.ts'

/** Reasons that have examples on a page. */
const MOST_REASONS = 20
const MOST_EXAMPLES = 3
/** Characters of an example. */
const EXAMPLE_CHARS = 500
/** So much of a file of rejects is read: the first of each reason are mostly near its beginning. */
const MOST_BYTES = 32 * MIB

/** What a transform rejected; empty if that is nothing. A file of rejects that was moved away is told to `missing`. */
export async function transformRejects(
  { name, store, manifest }: Opened<EventsManifest>,
  missing: string[],
): Promise<RejectsPart[]> {
  const total = manifest.records.rejected + manifest.events.rejected
  if (total === 0) return []
  const isThere = (await store.stamp(REJECTS)) !== undefined
  const file = store.address(REJECTS)
  if (!isThere) missing.push(`${file} is gone, so the rejects have no examples`)
  const reasons = await rejectReasons(manifest.rejects, isThere ? store.read(REJECTS) : undefined)
  const mend = mendTransform(name, manifest)
  return [{ stage: 'transform', input: name, ...(isThere && { file }), total, reasons, mend }]
}

/** What an import rejected, in the same way. */
export async function importRejects({ part, files }: FoundImport, missing: string[]): Promise<RejectsPart[]> {
  if (!part || !files || part.state.counts.rejected === 0) return []
  const { counts, reasons: tally, rejects, input, command } = part.state
  const { path } = files.rejects
  let isThere = false as boolean
  async function* kept() {
    for await (const chunk of files!.rejects.read(rejects)) {
      isThere = true
      yield chunk
    }
  }
  const reasons = await rejectReasons(tally, kept())
  if (!isThere) missing.push(`${path} is gone, so the rejects have no examples`)
  const mend = command.length > 0 && { mend: mendedCommand(command) }
  const of = { stage: 'import', input: input.name, total: counts.rejected } as const
  return [{ ...of, ...(isThere && { file: path }), reasons, ...mend }]
}

/** The reasons, most frequent first, with examples from the beginning of the file of rejects. */
async function rejectReasons(
  counts: Readonly<Record<string, number>>,
  chunks: AsyncIterable<Buffer> | undefined,
): Promise<RejectReason[]> {
  const rows = mostFirst(Object.entries(counts))
  const named = rows.slice(0, MOST_REASONS).map(([reason]) => reason)
  const examples = new Map(named.map((reason) => [reason, [] as RejectReason['examples'][number][]]))
  if (chunks !== undefined && named.length > 0) await readInto(examples, chunks)
  return rows.map(([reason, count]) => ({ reason, count, examples: examples.get(reason) ?? [] }))
}

async function readInto(
  examples: Map<string, RejectReason['examples'][number][]>,
  chunks: AsyncIterable<Buffer>,
): Promise<void> {
  const framer = new LineFramer({
    line(bytes, start, end) {
      const reject = parseReject(bytes, start, end)
      const found = reject && examples.get(reject.reason)
      if (!reject || !found || found.length >= MOST_EXAMPLES) return
      const { line, file, message, record } = reject
      found.push({
        line,
        ...(file !== undefined && { source: file }),
        message: cutText(message),
        record: cutText(record ?? '(too long to be kept)'),
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

function cutText(text: string): string {
  return text.length <= EXAMPLE_CHARS ? text : `${text.slice(0, EXAMPLE_CHARS - 1)}…`
}

/** The command that maps mended rejects of a transform into a dataset beside the first. */
export function mendTransform(name: string, { source }: EventsManifest): string {
  const { preset, mapping_sha256: sha256 } = source
  return posthaulLine([
    'transform',
    ...(preset === undefined ? [] : ['--preset', preset]),
    // The user knows where the mapping file is.
    ...(sha256 === undefined ? [] : ['--map', 'mapping.yaml']),
    ...['--in', 'mended.rejects.ndjson', '--out', pathWord(besideLocation(name, '-mended'))],
  ])
}
