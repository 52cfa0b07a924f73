import type { InputSource } from '../../delivery/index.ts'
import type { Io } from '../../io.ts'
import { continueCommand, verifyArgv } from '../../text/index.ts'
import { type ImportOrder, verifyWords } from './import-order.ts'
import type { ImportSubject } from './import-summary.ts'

/** What is imported, and where to, as summaries name it. */
export function subjectOf(
  order: ImportOrder,
  source: InputSource,
  { argv }: Pick<Io, 'argv'>,
  host?: string,
): ImportSubject {
  const { input } = order.source
  const { caps } = order.pace
  return {
    input: input.kind === 'file' && input.files.length > 1 ? source.name : input.path,
    bytes: source.totalBytes,
    host,
    rejectsPath: order.place.rejectsPath,
    perMinute: caps.perMinute,
    maxEvents: caps.events,
    kind: input.kind,
    verify: continueCommand(verifyArgv(verifyWords(order), argv)),
  }
}
