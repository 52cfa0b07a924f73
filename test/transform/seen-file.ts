import { type Observation, seenLine } from '../../src/transform/observations.ts'
import { LineFile, type WrittenFile } from '../../src/transform/work-file.ts'

/** What generating is told. */
export const GENERATE = { vendor: 'plain', version: '9.9.9', importId: null, set: {} }

/** Writes observations as a unit does. */
export function seenFile(folder: string, name: string, seen: Iterable<Observation>): WrittenFile {
  const file = new LineFile(folder, name)
  for (const one of seen) file.write(seenLine(one))
  file.close()
  return file.written
}
