import { listInputs } from '../../inputs/list.ts'
import { findManifest, readEventsManifest } from '../../store/dataset.ts'
import { openStore } from '../../store/open.ts'
import { number, bytes as size } from '../../text/words.ts'
import { becauseOf, type Finding, findingsOf } from '../finding.ts'
import type { Input } from './subject.ts'

/** How much there is to carry. */
export interface InputSize {
  /** Bytes of records, unpacked. */
  readonly bytes: number
  /** The bytes are a guess: of packed files only the packed size is known. */
  readonly guessed: boolean
  /** Records or events, where a manifest counts them. */
  readonly events?: number
}

/** What was found of the input. */
export interface Measured {
  readonly input?: InputSize
  readonly findings: readonly Finding[]
}

/** What packed records become: NDJSON of the demo's Mixpanel history under gzip is a tenth, under Parquet a fifth. */
const UNPACKED = 10
const COLUMNAR = 5

const say = findingsOf('input')

/** How large the input is. Reads the head of each file; a dataset's manifest says it all. */
export async function measure(input: Input | undefined): Promise<Measured> {
  if (!input) return { findings: [] }
  try {
    const found = 'dataset' in input ? await ofDataset(input.dataset) : await ofFiles(input.files)
    const { bytes, guessed, events } = found
    const many =
      events === undefined ? '' : `, ${number(events)} ${'dataset' in input ? 'events' : 'records'}`
    const text = `${found.name}: ${guessed ? 'about ' : ''}${size(bytes)}${guessed ? ' unpacked' : ''}${many}`
    return { input: found, findings: [say.ok(text)] }
  } catch (error) {
    return { findings: [say.error("the input can't be read", becauseOf(error))] }
  }
}

type Named = InputSize & { readonly name: string }

async function ofDataset(location: string): Promise<Named> {
  const { parts, events } = await readEventsManifest(await openStore(location))
  return {
    name: location,
    events: events.written,
    ...sizeOf(parts.map(({ file, bytes }) => part(file, bytes))),
  }
}

async function ofFiles(paths: readonly string[]): Promise<Named> {
  const files = await listInputs(paths)
  const name = paths.length === 1 ? paths[0]! : `${number(paths.length)} inputs`
  const [only] = paths
  // A raw dataset counts its records.
  const manifest = paths.length === 1 ? await manifestIn(only!) : undefined
  const sizes = files.map(({ size: bytes, compression, format, member }) => {
    const packed = compression !== 'none' || member !== undefined ? UNPACKED : 1
    const columnar = format === 'parquet' || format === 'avro' ? COLUMNAR : 1
    return { bytes, times: Math.max(packed, columnar) }
  })
  return { name, ...sizeOf(sizes), ...(manifest?.kind === 'raw' && { events: manifest.records }) }
}

/** The manifest of a folder; undefined for a file, and for files that no dataset owns. */
async function manifestIn(path: string) {
  return findManifest(await openStore(path)).then(
    (found) => found?.manifest,
    () => undefined,
  )
}

const part = (file: string, bytes: number) => ({ bytes, times: file.endsWith('.gz') ? UNPACKED : 1 })

function sizeOf(files: readonly { readonly bytes: number; readonly times: number }[]): InputSize {
  return {
    bytes: files.reduce((sum, { bytes, times }) => sum + bytes * times, 0),
    guessed: files.some(({ times }) => times > 1),
  }
}
