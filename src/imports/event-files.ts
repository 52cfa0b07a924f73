import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isCheckpoint } from '../delivery/checkpoint.ts'
import { FileSource } from '../delivery/file-source.ts'
import { FilesSource } from '../delivery/files-source.ts'
import type { InputSource } from '../delivery/intake.ts'
import { FileLineReader, type LineReader } from '../delivery/line-reader.ts'
import { PosthaulError } from '../errors.ts'
import type { InputFile } from '../inputs/input-file.ts'
import { listInputs } from '../inputs/list.ts'
import { statOf } from '../inputs/locate.ts'
import { emptyInput, holdsRecord } from '../inputs/read.ts'
import { Mapper } from '../mapping/mapper.ts'
import { NO_MAPPING } from '../mapping/mapping.ts'
import { rulesOf, switchesOf } from '../mapping/preset.ts'
import { posthog } from '../presets/posthog.ts'
import { FILE_IMPORT_ID } from '../record/uuid.ts'
import { openStore } from '../store/open.ts'
import { isS3 } from '../store/s3-location.ts'
import { pathWord, posthaulLine, shellWord } from '../text/shell-word.ts'
import { VERSION } from '../version.ts'
import { writesOver } from './import-order.ts'

/**
 * Opens the files of events that files, folders and globs name, in natural order, as one input. Checkpoints in a folder
 * are no input. `own`: where the command keeps its state. Code `usage` when other data is there: it would be lost.
 */
export async function openEventFiles(
  values: readonly string[],
  own: readonly string[] = [],
): Promise<InputSource> {
  for (const value of values) await refuseDataset(value)
  const ours = new Set(await Promise.all(own.map(realPathOf)))
  const files: InputFile[] = []
  for (const file of await listInputs(values)) {
    const { path, format, compression, member } = file
    const isPlain = format === 'json' && compression === 'none' && !member && !isS3(path)
    if (isPlain && (await isCheckpoint(path))) continue
    const isOwn = ours.has(await realPathOf(path))
    // A draft of the state is empty when a run dies the moment it begins one.
    if (isOwn && file.size > 0) throw writesOver(path)
    if (!isOwn) files.push(file)
  }
  for (const file of files) assertLines(file)
  const [first, ...more] = files
  if (!first) {
    throw new PosthaulError(`${values.join(' ')} holds nothing but the state of an import`, {
      code: 'input',
      hint: 'check the path; NDJSON of the service’s own events is expected, plain or .gz',
    })
  }
  // The checkpoint of an input that had records says better what is wrong.
  const begun = own[0] !== undefined && existsSync(own[0])
  if (!begun && !(await holdsRecord(files))) throw emptyInput(values.join(' '))
  return more.length === 0 ? FileSource.open(first.path) : FilesSource.open(files)
}

/** The one path of a file that links may give several. */
function realPathOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}

/** Throws for a dataset: only its manifest says whether its lines are complete, so it has to be named as a dataset. */
async function refuseDataset(value: string): Promise<void> {
  if ((await statOf(value)) !== 'folder') return
  const { findManifest } = await import('../store/dataset.ts')
  const found = await findManifest(await openStore(value))
  if (!found) return
  const isRaw = found.manifest.kind === 'raw'
  const { preset } = found.manifest.source
  const transform = ['transform', ...(preset === undefined ? [] : ['--preset', preset])]
  throw new PosthaulError(
    `${value} is a dataset of ${isRaw ? 'raw records' : 'events'}, not a folder of files`,
    {
      code: 'usage',
      hint: isRaw
        ? `turn it into events: ${posthaulLine([...transform, '--in', value, '--out', 'events/'])}`
        : `name it as a dataset: --dataset ${shellWord(pathWord(value))}`,
    },
  )
}

/** Throws for any form but lines: a checkpoint holds places in the bytes of lines. Transform reads the other forms. */
function assertLines({ path, name, format, compression, member, encoding }: InputFile): void {
  const isRemote = path.includes('://')
  if (format === 'ndjson' && encoding === undefined && compression !== 'brotli' && !member && !isRemote)
    return
  const packed = member ? 'a zip archive' : compression === 'brotli' ? 'brotli' : undefined
  const what = isRemote
    ? 'not on this machine'
    : packed
      ? `packed as ${packed}`
      : encoding !== undefined
        ? 'text in UTF-16'
        : format === 'json'
          ? 'JSON that does not have one record per line'
          : format.toUpperCase()
  const transform = posthaulLine(['transform', '--preset', 'posthog', '--in', path, '--out', 'events/'])
  throw new PosthaulError(`${name} is ${what}; import --file takes NDJSON on this machine, plain or .gz`, {
    code: 'input',
    hint: `make a dataset of it${encoding === undefined ? '' : ' (a byte order mark tells the encoding; without one a mapping file does, encoding: utf-16le)'}: ${transform}`,
  })
}

/** The version of the rules that make events of such files. */
export const FILE_RULES = rulesOf(posthog)

/** The options that change how the service's own events are mapped. */
export interface EventRules {
  readonly bigIntegersAsStrings: boolean
  readonly switches: readonly string[]
}

/** Reads lines of the service's own events by the rules of `transform --preset posthog` and today's clock. */
export function eventFileReader(rules: EventRules): LineReader {
  return new FileLineReader(eventFileMapper(rules))
}

/** The mapper of such a reader, which takes stock of what it maps. */
export function eventFileMapper({ bigIntegersAsStrings, switches }: EventRules): Mapper {
  const options = {
    now: Date.now() * 1000,
    version: VERSION,
    switches: switchesOf(switches, 'posthog', posthog),
    importId: FILE_IMPORT_ID,
  }
  return new Mapper(posthog, { ...NO_MAPPING, bigIntegersAsStrings }, options)
}
