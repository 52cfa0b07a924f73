import type { EventsManifest } from '../../store/manifest.ts'
import { besideLocation } from '../../store/s3-location.ts'
import { inputList } from '../../store/source-inputs.ts'
import { withoutWebhook } from '../../text/command-line.ts'
import { pathWord, posthaulLine } from '../../text/shell-word.ts'
import { cutText } from './bounds.ts'
import type { ReportCommand } from './report-data.ts'

const LINE_CHARS = 2000

/** A dataset, and what is known of how it was imported. */
interface Reproduced {
  readonly name: string
  readonly manifest: EventsManifest
  /** The path of its mapping file, if that was found. */
  readonly mapping: string | undefined
  /** The words of its import, from the checkpoint. */
  readonly imported: readonly string[] | undefined
  /** The words that say where the state of the import is. */
  readonly state: readonly string[]
}

/** The commands that make, send and prove the datasets. `report`: the words of this report. */
export function commandsOf(datasets: readonly Reproduced[], report: readonly string[]): ReportCommand[] {
  return [
    ...datasets.flatMap(({ name, manifest, mapping }) => transformOf(name, manifest, mapping)),
    ...datasets.map(({ name }) => command('What an import will do', ['check', pathWord(name)])),
    ...datasets.map(({ name, manifest: { trial }, imported, state }) => {
      const words = [
        'import',
        '--dataset',
        pathWord(name),
        ...(trial ? ['--trial', '<project>'] : []),
        ...state,
      ]
      return command('Send the events', imported ?? words)
    }),
    command('Prove that they arrived', [
      'verify',
      ...datasets.map(({ name }) => pathWord(name)),
      ...(datasets[0]?.state ?? []),
    ]),
    command('Write this page', report),
  ]
}

/** Groups are exported as events, and no transform is asked for. */
function transformOf(
  name: string,
  { source, trial }: EventsManifest,
  mapping: string | undefined,
): ReportCommand[] {
  const inputs = inputList(source)
  if (inputs === undefined) return []
  const part = trial ? [`--${trial.by}`, String(trial.most)] : []
  return [
    command('Turn the records into events', [...transformWords(source, mapping, inputs, name), ...part]),
  ]
}

/** The command that maps mended rejects of a transform into a dataset beside the first. */
export function mendTransform(name: string, { source }: EventsManifest, mapping: string | undefined): string {
  const out = besideLocation(name, '-mended')
  return command('', transformWords(source, mapping, ['mended.rejects.ndjson'], out)).line
}

function transformWords(
  { preset, mapping_sha256: sha256 }: EventsManifest['source'],
  mapping: string | undefined,
  inputs: readonly string[],
  out: string,
): string[] {
  // Its text was not found: the user knows its path.
  const map = mapping ?? (sha256 === undefined ? undefined : 'mapping.yaml')
  return [
    'transform',
    ...(preset === undefined ? [] : ['--preset', preset]),
    ...(map === undefined ? [] : ['--map', map]),
    ...['--in', ...inputs.map(pathWord), '--out', pathWord(out)],
  ]
}

function command(title: string, words: readonly string[]): ReportCommand {
  return { title, line: cutText(posthaulLine(withoutWebhook(words)), LINE_CHARS) }
}
