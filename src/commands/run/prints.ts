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
export class PrintMaker {
  readonly #migration: Migration
  readonly #at: At
  readonly #state: RunState
  #mapping: Promise<Prints> | undefined
  #files: Promise<string> | undefined

  constructor(migration: Migration, at: At, state: RunState) {
    this.#migration = migration
    this.#at = at
    this.#state = state
  }

  /** The prints of what a stage works with, without its input: they need no look at data. */
  async settings({ stage, said }: RunStep): Promise<Prints> {
    const settings = sha256(said)
    const { source } = this.#migration
    const query = stage === 'export' && source.kind === 'vendor' ? source.settings.file : undefined
    if (typeof query === 'string') return { settings, query: await this.#fileSha256(this.#at(query)) }
    if (stage !== 'transform') return { settings }
    this.#mapping ??= this.#mappingPrints()
    return { settings, ...(await this.#mapping) }
  }

  /** All prints of a stage; `input` is undefined while what it reads is not there. */
  async all(step: RunStep): Promise<{ readonly prints: Prints; readonly output: string | undefined }> {
    const [settings, input, output] = await Promise.all([
      this.settings(step),
      this.#input(step),
      this.output(step),
    ])
    const sent = step.stage === 'verify' ? this.#state.done(step.window, 'import')?.serial : undefined
    const prints = {
      ...settings,
      ...(input !== undefined && { input }),
      ...(sent !== undefined && { sent: `${sent}` }),
    }
    return { prints, output }
  }

  /** The print of what a stage made, if it is there and whole. */
  async output({ stage, raw, events }: RunStep): Promise<string | undefined> {
    if (stage === 'export') return raw === undefined ? undefined : this.#manifest(raw)
    return stage === 'transform' ? this.#manifest(events) : undefined
  }

  /** What is wrong with the events of a window; undefined if they are there and whole. */
  async flaw({ events }: RunStep): Promise<string | undefined> {
    const store = await openStore(events)
    try {
      await assertParts(store, await readManifest(store))
    } catch (error) {
      return (error as Error).message
    }
  }

  #input({ stage, raw, events }: RunStep): Promise<string | undefined> {
    if (stage === 'export') return Promise.resolve(undefined)
    if (stage !== 'transform') return this.#manifest(events)
    if (raw !== undefined) return this.#manifest(raw)
    this.#files ??= this.#filePrint()
    return this.#files
  }

  /** The sha256 of a dataset's manifest, if all parts that it names are there. */
  async #manifest(location: string): Promise<string | undefined> {
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

  async #mappingPrints(): Promise<Prints> {
    const { file, join, presetFile } = this.#migration.mapping
    const prints: Record<string, string> = {}
    if (file !== undefined) {
      const loaded = await loadMapping(this.#at(file))
      const preset = loaded.preset !== undefined && isPresetFile(loaded.preset) ? loaded.preset : undefined
      const besides = [loaded.forget?.file, loaded.columnsFrom, preset].filter((path) => path !== undefined)
      const all = [loaded.sha256, ...(await Promise.all(besides.map((path) => this.#fileSha256(path))))]
      prints.mapping = sha256(all.join(' '))
    }
    if (presetFile !== undefined) prints.preset = await this.#fileSha256(this.#at(presetFile))
    const tables = Object.values(join).map(this.#at)
    if (tables.length > 0) prints.tables = await this.#print(tables)
    return prints
  }

  async #filePrint(): Promise<string> {
    const { source } = this.#migration
    return source.kind === 'files' ? this.#print(source.files.map(this.#at)) : ''
  }

  /** Of the contents of all files that paths lead to, and of their names there. */
  async #print(paths: readonly string[]): Promise<string> {
    const files = new Map((await listInputs(paths)).map((file) => [file.path, file]))
    const hash = createHash('sha256')
    for (const { path, name } of files.values()) hash.update(`${name}\0${await this.#fileSha256(path)}\n`)
    return hash.digest('hex')
  }

  async #fileSha256(path: string): Promise<string> {
    const { location, name } = isS3(path)
      ? splitAddress(path)
      : { location: dirname(path), name: basename(path) }
    const stamp = await (await openStore(location)).stamp(name)
    // An object of a bucket is only ever replaced as a whole, and its stamp is of its content.
    if (isS3(path)) return sha256(stamp ?? '')
    const known = stamp === undefined ? undefined : this.#state.knownFile(path, stamp)
    if (known !== undefined) return known
    const hash = createHash('sha256')
    await pipeline(createReadStream(path), hash).catch((error: unknown) => {
      throw fileError(error, 'read', path)
    })
    const print = hash.digest('hex')
    if (stamp !== undefined) this.#state.knowFile(path, stamp, print)
    return print
  }
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}
