import { PosthaulError } from '../errors.ts'
import { openStore } from '../store/index.ts'
import type { InputFile } from './input-file.ts'
import { readRecords } from './read.ts'
import type { RecordSink } from './record-sink.ts'

/** True when one of the inputs holds a record, sound or not. Reads no further than the first one. */
export async function holdsRecord(inputs: readonly InputFile[]): Promise<boolean> {
  const found = new AbortController()
  const see = () => found.abort()
  const sink: RecordSink = { line: see, tooLong: see, reject: see, unusable() {} }
  for (const input of inputs) {
    if (input.size > 0) await readRecords(input, sink, { stop: found.signal })
    if (found.signal.aborted) return true
  }
  return false
}

/** True when all places that were asked for are finished exports: one that brought nothing is no mistake in a path. */
export async function areExports(places: readonly string[]): Promise<boolean> {
  // Few inputs are empty, so few runs need to read a manifest here.
  const { findManifest } = await import('../store/dataset.ts')
  const found = await Promise.all(
    places.map(async (place) => findManifest(await openStore(place)).catch(() => undefined)),
  )
  return found.every((one) => one?.manifest.kind === 'raw')
}

/** The error of an input without a single record. `asked`: what the user named. */
export function emptyInput(asked: string): PosthaulError {
  return new PosthaulError(`${asked} holds no records`, {
    code: 'input',
    hint: 'check the path; if it is right, run it again once there are some',
  })
}
