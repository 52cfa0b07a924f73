import { createHash } from 'node:crypto'
import { PosthaulError } from '../errors.ts'
import { type Head, newHead, readHead } from '../record/head.ts'
import { LineFramer } from '../record/lines.ts'
import { GzipFault, gunzip } from './gunzip.ts'
import type { EventPart } from './manifest.ts'
import { MEND_PART } from './name.ts'
import type { Store } from './store.ts'

/** Called with each event line and its head; both are valid until it returns. */
export type EachLine = (line: Buffer, head: Head) => void

interface PartReader {
  readonly each: EachLine
  between?(): Promise<void>
  done?(part: EventPart): void
  unreadable?(part: EventPart, lines: number): void
}

/**
 * Reads parts of a dataset. Code `mismatch` if a part is not as the manifest says, or is missing.
 */
export async function readParts(
  store: Store,
  parts: readonly EventPart[],
  reader: PartReader,
): Promise<void> {
  for (const part of parts) {
    const lines = await readPart(store, part, reader)
    if (lines > 0) reader.unreadable?.(part, lines)
    reader.done?.(part)
  }
}

/** The error of a dataset of which a part is gone: its manifest names the file, and it isn't there. */
export function partMissing(store: Store, file: string): PosthaulError {
  return new PosthaulError(`${store.address(file)} is missing: the manifest of the dataset names it`, {
    code: 'mismatch',
    hint: MEND_PART,
  })
}

async function readPart(store: Store, part: EventPart, { each, between }: PartReader): Promise<number> {
  if ((await store.stamp(part.file)) === undefined) throw partMissing(store, part.file)
  const hash = createHash('sha256')
  async function* hashed(): AsyncGenerator<Buffer> {
    for await (const chunk of store.read(part.file)) {
      hash.update(chunk)
      yield chunk
    }
  }
  let unreadable = 0
  const head = newHead()
  const framer = new LineFramer({
    line(bytes, start, end) {
      const line = bytes.subarray(start, end)
      if (readHead(line, 0, line.length, head)) each(line, head)
      else unreadable++
    },
    tooLong() {
      unreadable++
    },
  })
  const damaged = (cause?: unknown) =>
    new PosthaulError(`${store.address(part.file)} is not the part that the manifest names`, {
      code: 'mismatch',
      hint: 'make the dataset again with the command that made it',
      cause,
    })
  try {
    for await (const chunk of part.file.endsWith('.gz') ? gunzip(hashed()) : hashed()) {
      framer.push(chunk)
      await between?.()
    }
  } catch (error) {
    throw error instanceof GzipFault ? damaged(error) : error
  }
  framer.end()
  if (hash.digest('hex') !== part.sha256) throw damaged()
  await between?.()
  return unreadable
}
