import { PosthaulError } from '../errors.ts'
import type { InputFile } from './input-file.ts'
import { readRecords } from './read.ts'
import type { RecordSink } from './record-sink.ts'

/** True when one of the inputs holds a record, sound or not. Reads no further than the first one. */
export async function holdsRecord(inputs: readonly InputFile[]): Promise<boolean> {
  const found = new AbortController()
  const see = () => found.abort()
  const sink: RecordSink = { line: see, tooLong: see, reject: see }
  for (const input of inputs) {
    if (input.size > 0) await readRecords(input, sink, { stop: found.signal })
    if (found.signal.aborted) return true
  }
  return false
}

/** The error of an input without a single record. `asked`: what the user named. */
export function emptyInput(asked: string): PosthaulError {
  return new PosthaulError(`${asked} holds no records`, {
    code: 'input',
    hint: 'check the path; if it is right, run it again once there are some',
  })
}
