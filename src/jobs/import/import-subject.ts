import type { InputSource } from '../../delivery/event-source.ts'
import type { Io } from '../../io.ts'
import { continueCommand, verifyArgv } from '../../text/command-line.ts'
import { type ImportSettings, verifyWords } from './import-settings.ts'
import type { ImportSubject } from './import-summary.ts'

/** What is imported, and where to, as summaries name it. */
export function subjectOf(
  settings: ImportSettings,
  source: InputSource,
  { argv }: Pick<Io, 'argv'>,
  host?: string,
): ImportSubject {
  const { input, rejectsPath, caps } = settings
  return {
    input: input.kind === 'file' && input.files.length > 1 ? source.name : input.path,
    bytes: source.totalBytes,
    host,
    rejectsPath,
    perMinute: caps.perMinute,
    maxEvents: caps.events,
    kind: input.kind,
    verify: continueCommand(verifyArgv(verifyWords(settings), argv)),
  }
}
