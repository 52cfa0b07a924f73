import { once } from 'node:events'
import { openState, type StatePlace } from '../../imports/state-place.ts'
import type { Io } from '../../io.ts'
import { plainJson } from '../../text/visible.ts'
import { notStarted, type StatusValues } from './order.ts'

export async function printRejects(place: StatePlace, values: StatusValues, io: Io): Promise<void> {
  const state = await openState(place)
  const { state: saved, fellBack } = (await state.load()) ?? (await notStarted(state.checkpointPath, values))
  if (fellBack) tellDamaged(state.checkpointPath, io)
  await print(state.rejects.read(saved.rejects), io)
}

export function tellDamaged(path: string, io: Io): void {
  io.telemetry.note('status', `${path} is damaged; this is the one saved before it`, 'warn')
}

/** Prints lines of JSON: as they are into a file, so that they go back as they were; in escapes on a terminal. */
async function print(chunks: AsyncIterable<Buffer>, { stdout, unread }: Io): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of chunks) {
    if (unread.aborted) return
    const shown = stdout.isTTY ? plainJson(decoder.decode(chunk, { stream: true })) : chunk
    if (!stdout.write(shown)) await once(stdout, 'drain')
  }
}
