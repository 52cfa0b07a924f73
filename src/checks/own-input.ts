import { createHash } from 'node:crypto'
import { changedLines } from '../delivery/append-file.ts'
import { type LinesDigest, OWN_KIND, type StateLines } from '../delivery/import-state.ts'
import { EventLineReader } from '../delivery/line-reader.ts'
import type { OwnSaved } from '../delivery/own-events.ts'
import { START } from '../delivery/place.ts'
import { GROUP_EVENT } from '../record/group-event.ts'
import { eventIn } from './event-in.ts'
import { fileInput } from './file-input.ts'
import { type EventFiles, readEvents } from './read-events.ts'
import type { VerifyInput } from './verify-input.ts'

/** The events that an import made itself, as an input of `verify`. Undefined if there are none. */
export async function ownInput(
  kept: StateLines,
  { file }: OwnSaved,
  interrupted: AbortSignal,
): Promise<VerifyInput | undefined> {
  if (file.bytes === 0) return undefined
  const files: EventFiles = {
    open: async () => ({
      source: {
        totalBytes: file.bytes,
        bytesBefore: () => 0,
        async *pieces() {
          yield { from: START, file: undefined, chunks: kept.read(file), next: undefined }
        },
      },
      reader: new EventLineReader(GROUP_EVENT),
    }),
    interrupted,
    progress: () => undefined,
  }
  await assertWhole(kept, file)
  const importIds = new Set<string>()
  await readEvents(files, (line) => {
    const id = eventIn(line.toString('utf8'))?.properties.$import_job_id
    if (typeof id === 'string') importIds.add(id)
  })
  const input = await fileInput({ paths: [kept.path], files, importId: '' })
  return { ...input, importIds: [...importIds].sort(), isOwn: true }
}

/** Throws `mismatch` for lines that are not those that the import wrote. It is no fault that they were moved away. */
async function assertWhole(kept: StateLines, file: LinesDigest): Promise<void> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of kept.read(file)) {
    hash.update(chunk)
    bytes += chunk.length
  }
  if (bytes > 0 && hash.digest('hex') !== file.sha256) throw changedLines(kept.path, OWN_KIND)
}
