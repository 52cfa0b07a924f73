import { createHash } from 'node:crypto'
import pLimit from 'p-limit'
import { youngSince } from '../delivery/pacer.ts'
import { PosthaulError } from '../errors.ts'
import type { InputFile } from '../inputs/input-file.ts'
import { parseMapping } from '../mapping/mapping-file.ts'
import { quotedSegment } from '../mapping/member-path.ts'
import { isPresetFile } from '../mapping/preset.ts'
import { MICROS_PER_MS } from '../text/units.ts'
import { takeMapping } from '../transform/load-mapping.ts'
import type { TransformRequest } from '../transform/make-job.ts'
import { VERSION } from '../version.ts'
import { type AppliedMapping, MappingApplier } from './applied-mapping.ts'
import { editMapping } from './edit-mapping.ts'
import { isTextTable } from './headers.ts'
import { readMapping, saveMapping } from './mapping-on-disk.ts'
import { type BuiltModel, buildModel } from './model/studio-model.ts'
import { listRecords, recordOf } from './record-book.ts'
import type { Asked } from './server/requests.ts'
import { columnTable, type SampledCells, sampleCells, uniqueColumns } from './setup/column-table.ts'
import {
  columnsIn,
  type EditedInput,
  encodingIn,
  keysIn,
  withoutOpen,
  withPlaces,
} from './setup/said-columns.ts'
import { settleQuestion, setupOf } from './setup/setup-of.ts'
import type {
  MappingFault,
  MappingText,
  NextStep,
  Setup,
  StudioRecord,
  StudioRefusal,
} from './studio-data.ts'
import type { SampleOptions } from './studio-sample.ts'

/** What a studio is opened with. */
interface WorkbenchOptions extends SampleOptions {
  /** As for a transform, without the mapping file. */
  readonly request: TransformRequest
  /** The inputs as typed, and as they were found. */
  readonly said: readonly string[]
  readonly inputs: readonly InputFile[]
  readonly path: string
  /** What the mapping file begins as, where there is none. */
  readonly start: () => Promise<string>
  /** What comes once the mapping is right. */
  readonly next: readonly NextStep[]
  /** Options of the command line that win over the mapping file. */
  readonly winning: readonly string[]
}

/** A no that shows more than its words: what is wrong with the mapping, or the file as somebody else left it. */
export class StudioRefused extends PosthaulError {
  readonly more: Pick<StudioRefusal, 'fault' | 'mapping'>

  constructor(message: string, hint: string | null | undefined, more: StudioRefused['more']) {
    super(message, { code: 'input', ...(hint && { hint }) })
    this.more = more
  }
}

/** A sample and the mapping that is worked on. What is asked of it at the same time is done one after the other. */
export class Workbench {
  readonly #options: WorkbenchOptions
  readonly #applier: MappingApplier
  readonly #turn = pLimit(1)
  /** Of the last mapping without a fault. */
  #applied: AppliedMapping | undefined
  #built: BuiltModel | undefined
  /** What the mapping file names as its preset, when that is a file: only a user's own hand makes a program load one. */
  #presetFile: string | undefined
  #cells: { readonly key: string; readonly cells: SampledCells | undefined } | undefined

  constructor(options: WorkbenchOptions) {
    this.#options = options
    this.#applier = new MappingApplier(options.request, options.inputs, options)
  }

  /** Reads the mapping file and maps the sample by it; by the preset alone where it has a fault. */
  state() {
    return this.#turn(async () => {
      const { mapping, fault } = await this.#load()
      const { said, next } = this.#options
      return {
        ...{ version: VERSION, mapping, fault, next },
        input: { said, ...this.#applied!.sample.input },
        model: this.#built!.model,
        setup: await this.#setupOf(mapping.yaml),
      }
    })
  }

  /** Without a model for a text that has a fault. */
  preview({ yaml }: Asked<'preview'>) {
    return this.#turn(async () => {
      const fault = await this.#apply(yaml)
      return { model: fault ? null : this.#built!.model, setup: await this.#setupOf(yaml), fault }
    })
  }

  /** The text after the changes; nothing is saved. Errors: those of `editMapping`. */
  edit({ yaml, edits, settles }: Asked<'edit'>) {
    return this.#turn(async () => {
      const events = this.#applied?.preset.events ?? {}
      const presetName = (source: string) => (Object.hasOwn(events, source) ? events[source]! : source)
      // No other edit needs the columns: one names a column that no path can say, or is about all.
      const needsColumns = /\.|set_rows/.test(JSON.stringify(edits))
      const columns = new Set(needsColumns ? (await this.#sampledCells(yaml))?.columns.keys() : [])
      const tables = [...new Set(this.#options.inputs.flatMap(({ table }) => table ?? []))]
      const input: EditedInput = { columns, tables, says: (path) => this.#says(path) }
      const all = edits.flatMap((edit) => withPlaces(yaml, edit, input))
      const settled = settles === undefined ? yaml : settleQuestion(yaml, settles)
      return { yaml: all.reduce((text, edit) => editMapping(text, edit, presetName), settled) }
    })
  }

  columns(asked: Asked<'columns'>) {
    return this.#turn(async () => {
      const cells = await this.#sampledCells(asked.yaml)
      if (cells) return columnTable(cells, asked)
      throw new PosthaulError('no input is CSV or TSV with a header', { code: 'input' })
    })
  }

  save({ yaml, digest }: Asked<'save'>): Promise<MappingText> {
    return this.#turn(async () => {
      const { path } = this.#options
      const fault = await this.#apply(yaml)
      if (fault) throw new StudioRefused(fault.message, fault.hint, { fault })
      try {
        return this.#textOf(await saveMapping(path, yaml, digest))
      } catch (error) {
        if (!(error instanceof PosthaulError) || error.code !== 'mismatch') throw error
        const there = (await readMapping(path)) ?? { yaml: '', digest: null }
        throw new StudioRefused(error.message, error.hint, { mapping: this.#textOf(there) })
      }
    })
  }

  records(asked: Asked<'records'>) {
    return this.#turn(() => listRecords(this.#applied!.sample, this.#built!, asked))
  }

  record({ number }: Asked<'record'>): Promise<StudioRecord> {
    return this.#turn(() => recordOf(this.#applied!, number) ?? noSuchRecord())
  }

  close(): Promise<void> {
    return this.#turn(() => this.#applier.close())
  }

  /** A path as a mapping file writes it. Throws where the page shows two members under one name. */
  #says(path: string): string {
    const says = this.#built?.model.properties.find((row) => row.path === path)?.says
    if (says !== null) return says ?? path
    throw new PosthaulError(`the records have two members that are shown as ${path}`, {
      code: 'input',
      hint: `write the one that you mean into the mapping file: ${path} for a member in an object, '${quotedSegment(path)}' for one whose own name has the dot`,
    })
  }

  async #setupOf(yaml: string): Promise<Setup | null> {
    if (!this.#options.inputs.some(isTextTable)) return setupOf(yaml, false)
    // A header that can't be read is told where the columns are shown.
    const cells = await this.#sampledCells(yaml).catch(() => undefined)
    return setupOf(yaml, true, cells && uniqueColumns(cells))
  }

  /** Read again where the mapping has the text read in another way: cells are the same whatever else it says. */
  async #sampledCells(yaml: string): Promise<SampledCells | undefined> {
    const keys = keysIn(yaml) ?? {}
    const reading = { encoding: encodingIn(keys), escapes: columnsIn(keys).escapes }
    const key = JSON.stringify(reading)
    if (this.#cells?.key !== key) {
      this.#cells = { key, cells: await sampleCells(this.#options.inputs, reading, this.#options) }
    }
    return this.#cells.cells
  }

  async #load(): Promise<{ mapping: MappingText; fault: MappingFault | null }> {
    const { path, start, request } = this.#options
    const there = await readMapping(path)
    this.#presetFile = there && presetFileIn(there.yaml)
    const yaml = there ? there.yaml : await start()
    const mapping = this.#textOf(there ?? { yaml, digest: null })
    const fault = await this.#apply(yaml)
    // There is something to be looked at all the same: without what is to be filled in, or by the preset alone.
    if (fault && !this.#built && (await this.#apply(withoutOpen(yaml)))) {
      const { encoding = 'utf-8' } = keysIn(yaml) ?? {}
      const bare = { preset: request.preset ?? 'events', encoding }
      if (await this.#apply(JSON.stringify(bare)))
        await this.#applyText(JSON.stringify({ preset: bare.preset }))
    }
    return { mapping, fault }
  }

  #textOf({ yaml, digest }: Pick<MappingText, 'yaml' | 'digest'>): MappingText {
    const { path, winning: options } = this.#options
    return { path, exists: digest !== null, yaml, digest, options }
  }

  async #apply(yaml: string): Promise<MappingFault | null> {
    try {
      await this.#applyText(yaml)
      return null
    } catch (error) {
      return faultOfError(error, this.#options.path)
    }
  }

  async #applyText(yaml: string): Promise<void> {
    const file = await takeMapping(Buffer.from(yaml), this.#options.path)
    const named = presetFileIn(yaml)
    if (named !== undefined && named !== this.#presetFile) {
      throw new PosthaulError(`the preset ${named} is a program, which a page can't choose`, {
        code: 'config',
        hint: 'name it in the mapping file with an editor, and load the page again',
      })
    }
    const applied = await this.#applier.apply(file)
    const { job, preset, engine, sample } = applied
    this.#applied = applied
    this.#built = buildModel({
      records: sample.records,
      engine,
      preset,
      mapping: job.mapping,
      presetName: job.preset,
      revision: createHash('sha256').update(yaml).digest('hex').slice(0, 16),
      youngSince: youngSince(job.now / MICROS_PER_MS),
      forgets: job.forget !== undefined,
      unjoined: applied.unjoined,
    })
  }
}

function noSuchRecord(): never {
  throw new PosthaulError('the sample has no such record', { code: 'input' })
}

/** The path that a text names as its preset, where that is a file; undefined for any other text. */
function presetFileIn(yaml: string): string | undefined {
  try {
    const { preset } = parseMapping(yaml, '')
    return preset !== undefined && isPresetFile(preset) ? preset : undefined
  } catch {
    return undefined
  }
}

/** What is wrong with a mapping, with its place in the text. Throws again what is no fault of a mapping. */
function faultOfError(error: unknown, path: string): MappingFault {
  if (!(error instanceof PosthaulError) || !['config', 'usage', 'input'].includes(error.code)) throw error
  const { message, hint = null } = error
  const [, line, column, rest] =
    (message.startsWith(`${path}:`) && /^(\d+):(\d+): (.*)$/s.exec(message.slice(path.length + 1))) || []
  if (rest === undefined) return { line: null, column: null, message, hint }
  return { line: Number(line), column: Number(column), message: rest, hint }
}
