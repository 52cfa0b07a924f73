import { AROUND_KINDS, AroundFolder, type AroundKind, type AroundRow } from '../../around/index.ts'
import { PosthaulError } from '../../errors.ts'
import { type Mapping, NO_MAPPING, SourceNames } from '../../mapping/index.ts'
import { presetOf } from '../../pipeline/preset-of.ts'
import { typeName } from '../../service/index.ts'
import { plural } from '../../text/index.ts'
import { loadMapping } from '../../transform/index.ts'
import {
  type FinalNaming,
  finalEvents,
  finalProperties,
  namingOf,
  trimmed,
  wholeDescription,
} from './final-rows.ts'
import { pulledVendor } from './pull.ts'
import type { PushedThings } from './pushed.ts'
import { NotRebuilt, rebuiltQuery, settingsWords } from './rebuild.ts'
import type { AroundItem } from './result.ts'

/** The rows of a kind as the project is to have them, and those that are not carried. */
export interface WantedRows<K extends AroundKind> {
  readonly rows: readonly AroundRow<K>[]
  readonly others: readonly AroundItem[]
}

/** What the project has of the folder. */
interface Known {
  readonly pushed: PushedThings
  cohort(id: string): string | undefined
  /** Reports are pushed after this look, so that those without an id say nothing. */
  readonly isEarly: boolean
}

/** A folder, read with a mapping file. */
export class WantedFolder {
  readonly folder: AroundFolder
  readonly #naming: FinalNaming
  readonly #isService: boolean

  private constructor(folder: AroundFolder, naming: FinalNaming, isService: boolean) {
    this.folder = folder
    this.#naming = naming
    this.#isService = isService
  }

  /** Code `config` for a mapping file with a mistake, `input` for a folder that holds nothing. */
  static async open(path: string, map: string | undefined): Promise<WantedFolder> {
    const folder = new AroundFolder(path)
    const vendor = await pulledVendor(path)
    const file = map === undefined ? undefined : await loadMapping(map)
    const preset = file?.preset ?? (vendor === 'posthog' && !file ? undefined : vendor)
    const mapping: Mapping = file?.mapping ?? NO_MAPPING
    const names = preset === undefined ? undefined : new SourceNames(await presetOf({ preset }), mapping)
    const wanted = new WantedFolder(folder, namingOf(preset, names), vendor === 'posthog')
    const kinds = await Promise.all(AROUND_KINDS.map((kind) => folder.read(kind)))
    if (kinds.some((rows) => rows !== undefined)) return wanted
    const files = AROUND_KINDS.map((kind) => `${kind}.yaml`).join(', ')
    throw new PosthaulError(`${path} holds none of ${files}`, {
      code: 'input',
      hint: 'posthaul around pull mixpanel --out around/ makes them',
    })
  }

  /** The distinct_id that the events of a cohort's member have. */
  memberId(id: string): string {
    return this.#naming.member(id)
  }

  /** The rows of a kind. `pushed` knows the ids of cohorts and reports in the project; those to come are taken for known. */
  async wanted<K extends AroundKind>(
    kind: K,
    pushed: PushedThings,
    toCome: ReadonlySet<AroundKind>,
  ): Promise<WantedRows<K>> {
    const rows = ((await this.folder.read(kind)) ?? []).map(trimmed)
    const coming =
      kind === 'reports' && toCome.has('cohorts') ? ((await this.folder.read('cohorts')) ?? []) : []
    const cohorts = new Set(coming.flatMap(({ id, file }) => (file === null ? [] : id)))
    const cohort = (id: string) => pushed.get('cohorts', id)?.id ?? (cohorts.has(id) ? '0' : undefined)
    const known = { pushed, cohort, isEarly: toCome.has('reports') }
    return this.#of(kind, rows, known) as unknown as WantedRows<K>
  }

  #of(kind: AroundKind, rows: readonly AroundRow[], known: Known): WantedRows<AroundKind> {
    if (kind === 'events' || kind === 'properties') {
      const final =
        kind === 'events'
          ? finalEvents(rows as AroundRow<'events'>[], this.#naming)
          : finalProperties(rows as AroundRow<'properties'>[], this.#naming)
      const described = final.rows.map((row) => ({ ...row, description: wholeDescription(row) }))
      return { rows: described.map(asServiceHolds), others: final.skipped }
    }
    if (kind === 'cohorts') return this.#cohorts(rows as AroundRow<'cohorts'>[])
    if (kind === 'reports') return this.#reports(rows as AroundRow<'reports'>[], known.cohort)
    if (kind === 'dashboards') return this.#dashboards(rows as AroundRow<'dashboards'>[], known)
    // As the project tells it, so that the same time is not another one.
    const timed = (rows as AroundRow<'annotations'>[]).map((row) => ({
      ...row,
      at: new Date(row.at).toISOString(),
    }))
    return { rows: timed, others: [] }
  }

  #cohorts(all: readonly AroundRow<'cohorts'>[]): WantedRows<'cohorts'> {
    const [rows, without] = [all.filter(({ file }) => file !== null), all.filter(({ file }) => file === null)]
    return {
      rows,
      others: without.map(({ name, untold }) =>
        byHand('cohorts', name, untold ?? 'it has no file of members'),
      ),
    }
  }

  #reports(all: readonly AroundRow<'reports'>[], cohort: Known['cohort']): WantedRows<'reports'> {
    const rows: AroundRow<'reports'>[] = []
    const others: AroundItem[] = []
    for (const row of all) {
      if (!this.#isService && row.query === undefined) {
        others.push(byHand('reports', row.name, settingsWords(row, this.#naming)))
        continue
      }
      try {
        rows.push({ ...row, query: rebuiltQuery(row.query, { naming: this.#naming, cohort }) })
      } catch (error) {
        if (!(error instanceof NotRebuilt)) throw error
        others.push(byHand('reports', row.name, error.message))
      }
    }
    return { rows, others }
  }

  #dashboards(all: readonly AroundRow<'dashboards'>[], { pushed, isEarly }: Known): WantedRows<'dashboards'> {
    if (!this.#isService) {
      const why = (row: AroundRow<'dashboards'>) =>
        `its ${row.tiles?.length ?? 0} reports are made by hand: put them on a dashboard of this name`
      return { rows: [], others: all.map((row) => byHand('dashboards', row.name, why(row))) }
    }
    const others: AroundItem[] = []
    const rows = all.map((row) => {
      let lacking = 0
      const tiles = (row.tiles ?? []).flatMap(({ report, text, layouts, color }) => {
        const found = report === undefined ? undefined : pushed.get('reports', report)?.id
        if (report !== undefined && !found) {
          lacking++
          return []
        }
        return [
          {
            ...(found && { report: found }),
            ...(text !== undefined && { text }),
            ...(layouts !== undefined && { layouts }),
            ...(color && { color }),
          },
        ]
      })
      const why = `it lacks ${plural(lacking, 'insight')}, which the project has not`
      if (lacking > 0 && !isEarly) others.push(byHand('dashboards', row.name, why))
      return { ...row, tiles }
    })
    return { rows, others }
  }
}

/** The service takes either hidden or verified, and has no type for lists and objects. */
function asServiceHolds<R extends AroundRow<'events'> | AroundRow<'properties'>>(row: R): R {
  const isTyped = !('type' in row) || typeName(row.type) !== undefined
  return {
    ...row,
    ...(row.hidden && row.verified && { verified: false }),
    ...(!isTyped && { type: undefined }),
  }
}

function byHand(kind: AroundKind, name: string, why: string): AroundItem {
  return { kind, name, state: 'by_hand', fields: [], why }
}
