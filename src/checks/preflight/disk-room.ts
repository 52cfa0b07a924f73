import { listInputs } from '../../inputs/list.ts'
import { findManifest, readEventsManifest } from '../../store/dataset.ts'
import { openStore } from '../../store/open.ts'
import { sum } from '../../text/lists.ts'
import { MIB } from '../../text/units.ts'
import { firstFew, number, bytes as size } from '../../text/words.ts'
import { becauseOf, type Finding, findingsOf } from '../finding.ts'
import { nearestFolder } from './places.ts'
import type { Input, Room, Subject, Tools } from './subject.ts'

const ofDisk = findingsOf('disk')

/**
 * What is written for each byte of unpacked records: the least, and what it takes with vendors' records.
 *
 * Transform first writes every event into sorted runs (`work`), then day by day the parts (`events`); the runs of large
 * days go as their days are sealed, all others at the end. Events are longer than records, by 220 bytes and what a preset
 * adds. Measured, events and then the peak of both together, of an input byte: Mixpanel (630 bytes a record) 1.9 and 2.2,
 * records of 1,700 bytes 1.1 and 1.3, records of 90 bytes 3.4 and 7.1. Packed, the parts are a sixth of the input.
 *
 * An import keeps rejects, and the persons that it puts right: a tenth of the input is much.
 */
const PER_BYTE: Readonly<Record<Room['holds'], { readonly least: number; readonly usual: number }>> = {
  raw: { least: 1, usual: 1 },
  work: { least: 1.1, usual: 2 },
  events: { least: 1.1, usual: 2 },
  state: { least: 0, usual: 0.1 },
}
const GZIPPED = 0.2
/** For what does not grow with the input. */
const BESIDES = 64 * MIB

const WORDS: Readonly<Record<Room['holds'], string>> = {
  raw: 'raw records',
  work: 'work files',
  events: 'events',
  state: 'the state of the import',
}

/** Whether each disk has the room that a run needs, as far as the size of the input is known. */
export async function checkDisk(
  { rooms }: Subject,
  input: InputSize | undefined,
  tools: Tools,
): Promise<Finding[]> {
  const demands = new Map<number, { readonly free: number; readonly rooms: readonly Room[] }>()
  const findings: Finding[] = []
  for (const room of rooms) {
    try {
      const folder = await nearestFolder(room.folder)
      if (folder === undefined) continue
      const { id, free } = await tools.disk(folder)
      demands.set(id, { free, rooms: [...(demands.get(id)?.rooms ?? []), room] })
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error)
      findings.push(ofDisk.note(`how much room ${room.folder} has is not known`, { cause }))
    }
  }
  return [...findings, ...[...demands.values()].map(({ free, rooms }) => judge(free, rooms, input))]
}

function judge(free: number, rooms: readonly Room[], input: InputSize | undefined): Finding {
  const folders = [...new Set(rooms.map(({ folder }) => folder))].join(', ')
  const there = `${size(free)} free in ${folders}`
  const held = [...new Set(rooms.map(({ holds }) => WORDS[holds]))]
  const kept = held.length < 2 ? held.join() : `${held.slice(0, -1).join(', ')} and ${held.at(-1)}`
  if (!input) return ofDisk.note(there, { cause: `for ${kept}; how much they need is not known yet` })
  // Runs go while parts come, so the least of all is not the sum.
  const least = Math.max(...rooms.map(({ holds }) => PER_BYTE[holds].least)) * input.bytes
  const perByte = sum(rooms, ({ holds, gzip }) => PER_BYTE[holds].usual * (gzip ? GZIPPED / 2 : 1))
  const usual = perByte * input.bytes + BESIDES
  const records = `${input.guessed ? 'about ' : ''}${size(input.bytes)} of records`
  const cause = `about ${size(usual)} are needed there, for ${kept} of ${records}`
  const remedy = 'make room, or name a place on another disk'
  if (free < least) return ofDisk.error(`too little room: ${there}`, { cause, remedy })
  if (free < usual) return ofDisk.warning(`there may be too little room: ${there}`, { cause, remedy })
  return ofDisk.ok(`${there}, and about ${size(usual)} are needed`)
}

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

const ofInput = findingsOf('input')

/** How large the input is. Reads the head of each file; a dataset's manifest says it all. */
export async function measure(input: Input | undefined): Promise<Measured> {
  if (!input) return { findings: [] }
  try {
    const isDataset = 'dataset' in input
    const found = isDataset ? await ofDataset(input.dataset) : await ofFiles(input.files)
    const { bytes, guessed, events } = found
    const many = events === undefined ? '' : `, ${number(events)} ${isDataset ? 'events' : 'records'}`
    const name = isDataset ? input.dataset : firstFew(input.files, 1)
    const text = `${name}: ${guessed ? 'about ' : ''}${size(bytes)}${guessed ? ' unpacked' : ''}${many}`
    return { input: found, findings: [ofInput.ok(text)] }
  } catch (error) {
    return { findings: [ofInput.error("the input can't be read", becauseOf(error))] }
  }
}

async function ofDataset(location: string): Promise<InputSize> {
  const { parts, events } = await readEventsManifest(await openStore(location))
  const sizes = parts.map(({ file, bytes }) => ({ bytes, times: file.endsWith('.gz') ? UNPACKED : 1 }))
  return { events: events.written, ...sizeOf(sizes) }
}

async function ofFiles(paths: readonly string[]): Promise<InputSize> {
  const sizes = (await listInputs(paths)).map(({ size: bytes, compression, format, member }) => {
    const packed = compression !== 'none' || member !== undefined ? UNPACKED : 1
    const columnar = format === 'parquet' || format === 'avro' ? COLUMNAR : 1
    return { bytes, times: Math.max(packed, columnar) }
  })
  // A raw dataset counts its records.
  const finding = paths.length === 1 ? openStore(paths[0]!).then(findManifest) : undefined
  const manifest = (await finding?.catch(() => undefined))?.manifest
  return { ...sizeOf(sizes), ...(manifest?.kind === 'raw' && { events: manifest.records }) }
}

function sizeOf(files: readonly { readonly bytes: number; readonly times: number }[]): InputSize {
  return {
    bytes: sum(files, ({ bytes, times }) => bytes * times),
    guessed: files.some(({ times }) => times > 1),
  }
}
