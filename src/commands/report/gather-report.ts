import { datasetInput } from '../../checks/verify-input.ts'
import type { StateOptions } from '../../imports/state-place.ts'
import type { Verified } from '../../imports/verified.ts'
import type { Io } from '../../io.ts'
import { lookAtParts } from '../../store/dataset.ts'
import type { EventsManifest } from '../../store/manifest.ts'
import { MEND_PART, REJECTS } from '../../store/name.ts'
import { number } from '../../text/words.ts'
import { VERSION } from '../../version.ts'
import { cutText } from './bounds.ts'
import { mendTransform } from './commands.ts'
import { countsPart } from './counts-part.ts'
import { datasetPart, leftOutPart } from './dataset-parts.ts'
import { findMapping, type Opened, openDatasets } from './datasets.ts'
import {
  findImport,
  type ImportSight,
  importLeftOut,
  importRejects,
  importsOf,
  rejectReasons,
} from './import-parts.ts'
import { proofPart } from './proof.ts'
import type { DatasetPart, DayCount, LeftOutPart, RejectsPart, ReportData } from './report-data.ts'
import { figuresOf, reducedNotes, verdictOf } from './summing-up.ts'

export interface Gathering {
  /** The datasets as typed. */
  readonly names: readonly string[]
  readonly where: Omit<StateOptions, 'input'>
  /** Asks the service, of the datasets and the state that were found; undefined if nobody can be asked. */
  readonly ask?: (found: AskedOfService) => Promise<Verified | undefined>
}

export interface AskedOfService {
  readonly places: readonly string[]
  readonly found: ImportSight
  /** Takes what could not be asked. */
  readonly missing: string[]
}

/** What a page says that it does not show. */
type PageNotes = { readonly [Kind in 'missing' | 'reduced']: string[] }

/** A dataset of events, and what was found of its import. */
interface Told {
  readonly dataset: Opened<EventsManifest>
  readonly mapping: DatasetPart['mapping']
  readonly found: ImportSight
}

/** All that is known of datasets: from what lies on disk or in a bucket, and from the service if it can be asked. */
export async function gatherReport({ names, where, ask }: Gathering, io: Io): Promise<ReportData> {
  const notes: PageNotes = { missing: [], reduced: [] }
  const { raw, events } = await openDatasets(names)
  for (const { store, manifest } of [...raw, ...events]) {
    const { faults, unnamed } = await lookAtParts(store, manifest)
    notes.missing.push(...faults.map((fault) => `${fault}: ${MEND_PART}`), ...unnamed)
  }
  const told = await Promise.all(
    events.map(async (dataset): Promise<Told> => {
      const sha256 = dataset.manifest.source.mapping_sha256
      const mapping = sha256 === undefined ? undefined : await findMapping(dataset.name, sha256)
      if (sha256 !== undefined && !mapping)
        notes.missing.push(`the mapping file of ${dataset.name} is not here, or was edited since`)
      const found = await findImport({ input: dataset.name, ...where }, io, notes.missing)
      if (!found.run)
        notes.missing.push(
          `no import of ${dataset.name} was found: none has begun, or its state is elsewhere`,
        )
      return { dataset, mapping, found }
    }),
  )
  const verified = await verifiedOf(told, { ...(ask && { ask }), notes })
  const counts = await countsPart({ raw, events, found: verified?.found })
  const manifests = events.map(({ manifest }) => manifest)
  const target = targetOf(verified, told)
  const shown = {
    datasets: [
      ...raw.map(({ name, manifest }) => datasetPart(name, manifest)),
      ...told.map(({ dataset, mapping }) => ({
        ...datasetPart(dataset.name, dataset.manifest),
        ...(mapping && { mapping }),
      })),
    ],
    imports: importsOf(told.flatMap(({ found: { run } }) => run ?? [])),
    rejects: (await Promise.all(told.map((one) => rejectsOf(one, notes)))).flat(),
    ...(manifests.length > 0 && { days: daysOf(manifests) }),
    ...(verified && { proof: proofPart(verified) }),
    ...(target && { target }),
    ...(counts && { counts }),
    leftOut: leftOutOf(told),
  }
  const verdict = verdictOf(shown)
  return {
    title: cutText(`Migration of ${names.join(', ')}`),
    tool: `posthaul ${VERSION}`,
    madeAt: new Date().toISOString(),
    ...(verdict && { verdict }),
    figures: figuresOf(shown),
    missing: notes.missing,
    reduced: [...notes.reduced, ...reducedNotes(shown)],
    ...shown,
  }
}

/** Events by day. One that several datasets have counts once in each. */
function daysOf(manifests: readonly EventsManifest[]): DayCount[] {
  const sums = new Map<string, number>()
  for (const { days } of manifests)
    for (const [day, count] of Object.entries(days)) sums.set(day, (sums.get(day) ?? 0) + count)
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, count]) => ({ day, count }))
}

async function rejectsOf(
  { dataset, mapping, found: { run } }: Told,
  { missing }: PageNotes,
): Promise<RejectsPart[]> {
  const { name, store, manifest } = dataset
  const parts: RejectsPart[] = []
  const total = manifest.records.rejected + manifest.events.rejected
  if (total > 0) {
    const isThere = (await store.stamp(REJECTS)) !== undefined
    if (!isThere) missing.push(`${store.address(REJECTS)} is gone, so the rejects have no examples`)
    parts.push({
      stage: 'transform',
      input: name,
      ...(isThere && { file: store.address(REJECTS) }),
      total,
      ...(await rejectReasons(manifest.rejects, isThere ? store.read(REJECTS) : undefined)),
      mend: mendTransform(name, manifest, mapping?.path),
    })
  }
  return run ? [...parts, ...(await importRejects(run, missing))] : parts
}

/** What the service answers about the datasets, now or when it was asked last. */
async function verifiedOf(
  told: readonly Told[],
  { ask, notes }: Pick<Gathering, 'ask'> & { readonly notes: PageNotes },
): Promise<Verified | undefined> {
  const [first] = told
  if (!first) return undefined
  const stores = told.map(({ dataset }) => dataset)
  const own = await Promise.all(stores.map(({ store }) => datasetInput(store)))
  const places = stores.map(({ place }) => place)
  const asked = await ask?.({ places, found: first.found, missing: notes.missing })
  const hashes = new Set(own.map(({ sha256 }) => sha256))
  const kept = told.flatMap(({ found }) => found.verified ?? []).find((one) => isOf(one, hashes))
  if (!asked) notes.missing.push(...unaskedNotes(ask !== undefined, kept, told))
  const verified = asked ?? kept
  const others = verified?.inputs.filter((input) => !input.own && !hashes.has(input.sha256)).length ?? 0
  if (others > 0)
    notes.missing.push(
      `verify compared ${number(others)} more datasets or files together with these: name them too to see their days`,
    )
  return verified
}

function unaskedNotes(couldAsk: boolean, kept: Verified | undefined, told: readonly Told[]): string[] {
  const why = couldAsk ? [] : ['PostHog was not asked: no personal key is set (POSTHOG_PERSONAL_API_KEY)']
  if (kept) return [...why, `what PostHog has is shown as the last verify found it, on ${kept.asked_at}`]
  const isOld = told.some(({ found }) => found.verified)
  return [
    ...why,
    isOld
      ? 'the last verify was of other datasets, or of these before they were made anew'
      : 'no verify of these datasets has come to its end, so nothing here proves that the events arrived',
  ]
}

/** True if all of the datasets were compared. */
function isOf({ inputs }: Verified, hashes: ReadonlySet<string>): boolean {
  const compared = new Set(inputs.map(({ sha256 }) => sha256))
  return [...hashes].every((sha256) => compared.has(sha256))
}

function targetOf(verified: Verified | undefined, told: readonly Told[]): ReportData['target'] {
  const host = verified?.host ?? told.flatMap(({ found }) => found.run?.state.target.host ?? [])[0]
  return host === undefined ? undefined : { host, ...(verified && { project: verified.project }) }
}

function leftOutOf(told: readonly Told[]): LeftOutPart[] {
  return told.flatMap(({ dataset: { name, manifest }, found: { run } }) => [
    leftOutPart(name, manifest),
    ...(run ? importLeftOut(run.state) : []),
  ])
}
