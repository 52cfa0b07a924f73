import type { EventsManifest } from '../../store/manifest.ts'
import { REJECTS } from '../../store/name.ts'
import { besideLocation } from '../../store/s3-location.ts'
import { mendedCommand } from '../../text/command-line.ts'
import { pathWord, posthaulLine } from '../../text/shell-word.ts'
import type { FoundImport } from './find-import.ts'
import type { Opened, RejectsPart } from './report-data.ts'

/** What a transform rejected; empty if that is nothing. */
export function transformRejects({ name, store, manifest }: Opened<EventsManifest>): RejectsPart[] {
  const total = manifest.records.rejected + manifest.events.rejected
  if (total === 0) return []
  const [file, reasons] = [store.address(REJECTS), manifest.rejects]
  return [{ stage: 'transform', input: name, file, total, reasons, mend: mendTransform(name, manifest) }]
}

/** What an import rejected, in the same way. */
export function importRejects({ part, files }: FoundImport): RejectsPart[] {
  if (!part || !files || part.state.counts.rejected === 0) return []
  const { counts, reasons, input, command } = part.state
  const of = { stage: 'import', input: input.name, file: files.rejects.path, total: counts.rejected } as const
  return [{ ...of, reasons, ...(command.length > 0 && { mend: mendedCommand(command) }) }]
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
