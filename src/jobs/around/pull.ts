/*
 * Pulls what lies around the events into a folder. Each kind, and the members of each cohort, are fetched whole, written, and
 * then noted in `.pulled.json`; a run that was cut short fetches what is not noted. What is noted is not fetched again: a person
 * may have edited it. `restart` forgets the notes, but for files that were edited since it needs `overwrite`.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import {
  AROUND_KINDS,
  type AroundCall,
  type AroundCohort,
  AroundFolder,
  type AroundKind,
  type AroundRow,
  type AroundSource,
  cohortFiles,
  type Untold,
} from '../../around/index.ts'
import { PosthaulError } from '../../errors.ts'
import { CellKind, json, refused } from '../../state/cell-kind.ts'
import { loadFile } from '../../store/index.ts'
import { VERSION } from '../../version.ts'
import { folderCell } from './pushed.ts'
import type { AroundPullResult } from './result.ts'

const kindSchema = z.object({ rows: z.int().nullable(), untold: z.string().nullable(), sum: z.string() })
const pulledSchema = z.object({
  tool: z.string(),
  /** What tells the source from others. */
  source: z.string(),
  vendor: z.string(),
  /** By kind. */
  kinds: z.record(z.string(), kindSchema),
  /** Members of cohorts that are whole, by the cohort's id. */
  members: z.record(z.string(), z.object({ file: z.string(), members: z.int() })),
})
type Pulled = z.infer<typeof pulledSchema>

/** What of a folder is whole. */
export const PULLED = new CellKind({
  name: 'what was pulled',
  schema: pulledSchema,
  version: 1,
  form: json({ indent: 1 }),
  refusal: refused({ code: 'mismatch', says: 'says what was pulled', otherwise: ', or name another folder' }),
})

const pulledCell = (folder: string) => folderCell(folder, '.pulled.json')

/** The vendor that a folder was pulled from; undefined for a folder that a person made. */
export async function pulledVendor(folder: string): Promise<string | undefined> {
  return (await PULLED.load(pulledCell(folder)))?.value.vendor
}

export interface PullOrder {
  readonly vendor: string
  readonly out: string
  readonly restart: boolean
  readonly overwrite: boolean
}

/** Pulls all kinds. Code `mismatch` for a folder of another source, or with files that would be overwritten. */
export async function pullAround(
  { vendor, out, restart, overwrite }: PullOrder,
  source: AroundSource,
  call: AroundCall,
): Promise<AroundPullResult> {
  const folder = new AroundFolder(out)
  const cell = pulledCell(out)
  const loaded = await PULLED.load(cell)
  if (loaded && loaded.value.source !== source.identity) throw another(out, loaded.value.source)
  if (!loaded || restart) await assertFree(folder, loaded?.value, overwrite)
  const begun: Pulled = {
    tool: `posthaul ${VERSION}`,
    source: source.identity,
    vendor,
    kinds: {},
    members: {},
  }
  const state = loaded && !restart ? loaded.value : begun
  let version = loaded?.version
  const save = async () => {
    version = await PULLED.save(cell, state, version === undefined ? 'absent' : { version })
  }
  await save()
  const kinds: AroundPullResult['kinds'][number][] = []
  for (const kind of AROUND_KINDS) {
    const kept = state.kinds[kind]
    if (!kept) {
      const told = await pullKind({ kind, folder, source, call, state, save })
      state.kinds[kind] = { ...told, sum: (await sumOf(folder, kind)) ?? '' }
      await save()
    }
    const { rows, untold } = state.kinds[kind]!
    kinds.push({ kind, rows, untold, kept: kept !== undefined })
  }
  const members = Object.values(state.members).reduce((sum, one) => sum + one.members, 0)
  return { version: 1, command: 'around pull', out, source: source.identity, kinds, members }
}

interface Pulling {
  readonly kind: AroundKind
  readonly folder: AroundFolder
  readonly source: AroundSource
  readonly call: AroundCall
  readonly state: Pulled
  save(): Promise<void>
}

async function pullKind(pulling: Pulling): Promise<{ rows: number | null; untold: string | null }> {
  const { kind, folder, source, call } = pulling
  call.signal.throwIfAborted()
  const told: readonly AroundRow[] | Untold = await source.read[kind](call)
  if ('untold' in told) return { rows: null, untold: told.untold }
  const rows = kind === 'cohorts' ? await withMembers(told as readonly AroundCohort[], pulling) : told
  await folder.write(kind, rows)
  return { rows: rows.length, untold: null }
}

/** The cohorts with the files of their members, which are written first. */
async function withMembers(
  cohorts: readonly AroundCohort[],
  { folder, source, call, state, save }: Pulling,
): Promise<readonly AroundCohort[]> {
  const files = cohortFiles(cohorts)
  const rows: AroundCohort[] = []
  for (const cohort of cohorts) {
    call.signal.throwIfAborted()
    const file = files.get(cohort.id)!
    if (state.members[cohort.id]?.file !== file) {
      const pages = await source.members(cohort, call)
      if ('untold' in pages) {
        rows.push({ ...cohort, untold: pages.untold })
        continue
      }
      state.members[cohort.id] = { file, members: await folder.writeMembers(file, pages) }
      await save()
    }
    rows.push({ ...cohort, ...state.members[cohort.id]! })
  }
  return rows
}

async function sumOf(folder: AroundFolder, kind: AroundKind): Promise<string | undefined> {
  const found = await loadFile(folder.file(kind))
  return found && createHash('sha256').update(found.bytes).digest('hex')
}

/** Code `mismatch` where a file is there that no pull has written, or that was edited since. */
async function assertFree(
  folder: AroundFolder,
  pulled: Pulled | undefined,
  overwrite: boolean,
): Promise<void> {
  if (overwrite) return
  for (const kind of AROUND_KINDS) {
    const sum = await sumOf(folder, kind)
    if (sum === undefined || sum === pulled?.kinds[kind]?.sum) continue
    throw new PosthaulError(`${folder.file(kind)} is not as a pull has written it`, {
      code: 'mismatch',
      hint: '--overwrite writes it anew; or name another folder',
    })
  }
}

function another(out: string, source: string): PosthaulError {
  return new PosthaulError(`${out} holds what was pulled from another place: ${source}`, {
    code: 'mismatch',
    hint: 'name another folder',
  })
}
