import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename, dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { listInputs } from '../../inputs/list.ts'
import { isPresetFile } from '../../mapping/preset.ts'
import type { At, Migration } from '../../migration/migration-file.ts'
import type { RunStep } from '../../migration/stages.ts'
import { assertParts, readManifest } from '../../store/dataset.ts'
import { fileError } from '../../store/file-error.ts'
import { MANIFEST } from '../../store/name.ts'
import { openStore } from '../../store/open.ts'
import { isS3, splitAddress } from '../../store/s3-location.ts'
import { loadMapping } from '../../transform/load-mapping.ts'
import type { RunState } from './run-state.ts'
import type { Prints } from './stage-decision.ts'

/** Takes the prints of what stages work with. The mapping is read once a run. */
export function printsOf({ mapping, source }: Migration, at: At, state: RunState) {
  let mapped: Promise<Prints> | undefined
  let files: Promise<string> | undefined

  const fileSha256 = async (path: string): Promise<string> => {
    const { location, name } = isS3(path)
      ? splitAddress(path)
      : { location: dirname(path), name: basename(path) }
    const stamp = await (await openStore(location)).stamp(name)
    // An object of a bucket is only ever replaced as a whole, and its stamp is of its content.
    if (isS3(path)) return sha256(stamp ?? '')
    const known = stamp === undefined ? undefined : state.knownFile(path, stamp)
    if (known !== undefined) return known
    const hash = createHash('sha256')
    await pipeline(createReadStream(path), hash).catch((error: unknown) => {
      throw fileError(error, 'read', path)
    })
    const print = hash.digest('hex')
    if (stamp !== undefined) state.knowFile(path, stamp, print)
    return print
  }

  /** Of the contents of all files that paths lead to, and of their names there. */
  const printOf = async (paths: readonly string[]): Promise<string> => {
    const files = new Map((await listInputs(paths)).map((file) => [file.path, file]))
    const hash = createHash('sha256')
    for (const { path, name } of files.values()) hash.update(`${name}\0${await fileSha256(path)}\n`)
    return hash.digest('hex')
  }

  const mappingPrints = async (): Promise<Prints> => {
    const { file, join, presetFile } = mapping
    const prints: Record<string, string> = {}
    if (file !== undefined) {
      const loaded = await loadMapping(at(file))
      const preset = loaded.preset !== undefined && isPresetFile(loaded.preset) ? loaded.preset : undefined
      const besides = [loaded.forget?.file, loaded.columnsFrom, preset].filter((path) => path !== undefined)
      const all = [loaded.sha256, ...(await Promise.all(besides.map(fileSha256)))]
      prints.mapping = sha256(all.join(' '))
    }
    if (presetFile !== undefined) prints.preset = await fileSha256(at(presetFile))
    const tables = Object.values(join).map(at)
    if (tables.length > 0) prints.tables = await printOf(tables)
    return prints
  }

  const inputOf = async ({ stage, raw, events }: RunStep): Promise<string | undefined> => {
    if (stage === 'export') return undefined
    if (stage !== 'transform') return manifestPrint(events)
    if (raw !== undefined) return manifestPrint(raw)
    files ??= source.kind === 'files' ? printOf(source.files.map(at)) : Promise.resolve('')
    return files
  }

  /** The prints of what a stage works with, without its input: they need no look at data. */
  const settings = async ({ stage, said }: RunStep): Promise<Prints> => {
    const settings = sha256(said)
    const query = stage === 'export' && source.kind === 'vendor' ? source.settings.file : undefined
    if (typeof query === 'string') return { settings, query: await fileSha256(at(query)) }
    if (stage !== 'transform') return { settings }
    mapped ??= mappingPrints()
    return { settings, ...(await mapped) }
  }

  /** All prints of a stage; `input` is undefined while what it reads is not there. */
  const all = async (step: RunStep) => {
    const [said, input, output] = await Promise.all([settings(step), inputOf(step), outputPrint(step)])
    const sent = step.stage === 'verify' ? state.done(step.window, 'import')?.serial : undefined
    const prints: Prints = {
      ...said,
      ...(input !== undefined && { input }),
      ...(sent !== undefined && { sent: `${sent}` }),
    }
    return { prints, output }
  }
  return { settings, all }
}

/** The print of what a stage made, if it is there and whole. */
export async function outputPrint({ stage, raw, events }: RunStep): Promise<string | undefined> {
  if (stage === 'export') return raw === undefined ? undefined : manifestPrint(raw)
  return stage === 'transform' ? manifestPrint(events) : undefined
}

/** What is wrong with the events of a window; undefined if they are there and whole. */
export async function flawOf({ events }: RunStep): Promise<string | undefined> {
  const store = await openStore(events)
  try {
    await assertParts(store, await readManifest(store))
  } catch (error) {
    return (error as Error).message
  }
}

/** The sha256 of a dataset's manifest, if all parts that it names are there. */
async function manifestPrint(location: string): Promise<string | undefined> {
  const store = await openStore(location)
  const loaded = await store.load(MANIFEST)
  if (!loaded) return undefined
  try {
    await assertParts(store, await readManifest(store))
  } catch {
    // Damaged: the command that made it says in what way, or makes it anew.
    return undefined
  }
  return sha256(loaded.bytes)
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}
