import type { EventsManifest } from '../../store/manifest.ts'
import { besideLocation } from '../../store/s3-location.ts'
import { pathWord, posthaulLine } from '../../text/shell-word.ts'
import { cutText } from './bounds.ts'

const LINE_CHARS = 2000

/** The command that maps mended rejects of a transform into a dataset beside the first. */
export function mendTransform(name: string, { source }: EventsManifest, mapping: string | undefined): string {
  const { preset, mapping_sha256: sha256 } = source
  // Where its text was not found, the user knows its path.
  const map = mapping ?? (sha256 === undefined ? undefined : 'mapping.yaml')
  const words = [
    'transform',
    ...(preset === undefined ? [] : ['--preset', preset]),
    ...(map === undefined ? [] : ['--map', map]),
    ...['--in', 'mended.rejects.ndjson', '--out', pathWord(besideLocation(name, '-mended'))],
  ]
  return cutText(posthaulLine(words), LINE_CHARS)
}
