import { LineFramer, parseReject } from '../../record/index.ts'
import { MIB } from '../../text/index.ts'
import { cutText, EXAMPLE_CHARS, rankedBounds } from './bounds.ts'
import type { RejectReason } from './report-data.ts'

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
  const rows = rankedBounds(Object.entries(counts))
  const named = rows.slice(0, MOST_REASONS)
  const examples = new Map<string, Example[]>(named.map(([reason]) => [reason, []]))
  if (chunks !== undefined && named.length > 0) await readInto(examples, chunks)
  return {
    reasons: named.map(([reason, count]) => ({
      reason: cutText(reason),
      count,
      examples: examples.get(reason)!,
    })),
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
