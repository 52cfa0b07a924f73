import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ArrivalAudit } from '../checks/arrival-audit.ts'
import type { CellDifference } from '../checks/compare.ts'
import { allIds, expectedFrames } from '../checks/expected.ts'
import { findGaps } from '../checks/gaps.ts'
import { MissingFile } from '../checks/missing-file.ts'
import { PeopleSample } from '../checks/people.ts'
import { type ServiceEvents, serviceEvents } from '../checks/service-view.ts'
import { checkValues, sampleSizeOf } from '../checks/value-check.ts'
import { hiddenBefore, shownOf, type VerifyInput } from '../checks/verify-input.ts'
import { assertGoing, PosthaulError } from '../errors.ts'
import { systemClock } from '../http/clock.ts'
import type { Io } from '../io.ts'
import { APART_EVENT } from '../record/stored-properties.ts'
import type { Api, AskedProject } from '../service/api.ts'
import { ServiceError } from '../service/errors.ts'
import { eventQuota } from '../service/event-quota.ts'
import { WARNINGS_KEPT_DAYS } from '../service/ingestion-warnings.ts'
import { chooseProject, projectById } from '../service/key-owner.ts'
import { retentionOf } from '../service/retention.ts'
import { isS3 } from '../store/s3-location.ts'
import { startProgress } from '../telemetry/progress.ts'
import { sum } from '../text/lists.ts'
import { MS_PER_DAY } from '../text/units.ts'
import { number, plural, span } from '../text/words.ts'
import { VERSION } from '../version.ts'
import { ifAnswered, QUOTA_LEFT } from './ask-project.ts'
import { askWarnings } from './ask-warnings.ts'
import { addressIn, openState, type StatePlace } from './state-place.ts'
import { keepVerified, type Verified } from './verified.ts'
import { verifyPeople } from './verify-people.ts'
import { isProven, likelyCauses, type VerifyResult } from './verify-result.ts'

/** More missing events than this are written only to a file that the user names: the import was not finished. */
const MOST_MISSING = 1_000_000

export interface VerifySettings {
  /** How many events are compared value by value. */
  readonly sample: number
  readonly waitMs: number
  /** Where missing events are written, if the user says so. */
  readonly missing: string | undefined
  /** Where the first input's import keeps its state: the missing events are there too. */
  readonly place: StatePlace
}

/** Proves that the events of all inputs are in the service. */
export async function verifyInputs(
  inputs: readonly VerifyInput[],
  settings: VerifySettings,
  api: Api,
  io: Io,
): Promise<Omit<Verified, 'found'> & { readonly found: VerifyResult }> {
  const missingPath = missingPathOf(settings)
  const projectId = await chooseProject(api)
  const project = { api, projectId }
  const unasked: string[] = []
  const orSay = <T>(asking: Promise<T>, what: string) =>
    ifAnswered(asking, what, (why) => void unasked.push(why))
  const owner = await orSay(projectById(api, projectId), 'whether the project hides old events')
  const retention = owner && retentionOf(owner, Date.now())
  const shown = retention
    ? await Promise.all(inputs.map((input) => shownOf(input, retention.firstDay)))
    : inputs
  const run = startRun(shown, settings, { service: serviceEvents(project), io })
  try {
    const audit = await auditOf(run)
    const { here, there, others, rounded, apart } = audit.totals
    const gaps = await gapsOf(run, audit, missingPath)
    const people = new PeopleSample()
    const values = there === 0 ? null : await valuesOf(run, apart > 0, people)
    const asked = there === 0 ? null : await peopleOf(run, audit.unreadable, people, project)
    const { since, wasOver, rejects } = await importedAt(settings.place)
    const warnings = await askWarnings(project, since)
    if (asked?.unasked) unasked.push(asked.unasked)
    const quota = await orSay(eventQuota(project), QUOTA_LEFT)
    const at = new Date().toISOString()
    const hidden = retention && hiddenBefore(inputs, retention)
    const isOver = wasOver || quota?.limited === true
    const { differences } = gaps
    const result = {
      ...({ version: 1, command: 'verify' } as const),
      datasets: inputs.flatMap(({ paths }) => paths),
      equal: false,
      days: run.days.length,
      events: {
        ...{ here, service: there, others, ...gaps.events, rounded },
        ...{ doubled: sum(audit.doubled, ({ more }) => more), apart },
      },
      hidden: hidden
        ? { events: hidden.events, days: hidden.days, months: hidden.months, shown_from: hidden.firstDay }
        : null,
      doubled: audit.doubled.map(({ day, event, more, example: { uuid, times } }) => {
        return { day, event, more, uuid, times }
      }),
      differences,
      inputs: inputs.map(({ paths, sums, importIds }) => ({
        paths,
        events: sums.events,
        days: sums.days.size,
        whole_days: sums.wholeDays,
        import_ids: importIds,
      })),
      unreadable: sum(inputs.flatMap(({ unreadable }) => [...unreadable.values()])),
      unreadable_in: inputs.flatMap(({ unreadable }) => [...unreadable.keys()])[0] ?? null,
      ...{ missing: gaps.missing, missing_file: gaps.missing_file, unknown: gaps.unknown },
      values,
      persons: asked?.persons ?? null,
      ingestion_warnings: warnings,
      likely_causes: likelyCauses({ differences, ingestion_warnings: warnings }, at, isOver, rejects),
      unasked,
      sent_otherwise: null,
    }
    const found = {
      ...{ tool: `posthaul ${VERSION}`, asked_at: at, host: api.origin, project: projectId },
      inputs: inputs.map(({ paths, sha256, isOwn = false }) => ({ paths: [...paths], sha256, own: isOwn })),
      found: { ...result, equal: isProven(result) },
    }
    await keepVerified(settings.place, found, io)
    return found
  } finally {
    run.progress.stop()
  }
}

/** What is compared with what, and how much of it is done. */
type VerifyRun = ReturnType<typeof startRun>

function startRun(
  inputs: readonly VerifyInput[],
  settings: VerifySettings,
  { service, io }: { readonly service: ServiceEvents; readonly io: Io },
) {
  const stage = { what: 'events', total: sum(inputs, ({ sums }) => sums.events), done: 0 }
  const progress = startProgress({
    telemetry: io.telemetry,
    unit: 'events',
    label: 'verify',
    look: () => ({ doneBytes: stage.done, totalBytes: stage.total, events: stage.done }),
    describe: () => `${number(stage.done)} of ${number(stage.total)} ${stage.what}`,
  })
  return { inputs, days: expectedFrames(inputs), settings, service, io, stage, progress }
}

/** Compares counts and fingerprints, again and again while events are missing and there is time. */
async function auditOf({ inputs, settings, service, io, stage, progress }: VerifyRun): Promise<ArrivalAudit> {
  const audit = new ArrivalAudit({
    inputs,
    service,
    progress: (events) => {
      stage.done += events
    },
  })
  await audit.run()
  await audit.wait({
    forMs: settings.waitMs,
    now: systemClock.now,
    sleep: async (ms) => {
      await systemClock.sleep(ms, io.interrupted)
      assertGoing(io.interrupted)
    },
    note: (missing, days, ms) => {
      const what = missing > 0 ? `${plural(missing, 'event')} of ${plural(days, 'day')}` : plural(days, 'day')
      progress.note(`still missing: ${what}; asking again in ${span(ms)}`)
    },
  })
  return audit
}

/** Finds out which events differ, and writes the missing ones to a file. */
async function gapsOf(
  { inputs, days, service, settings }: VerifyRun,
  { differences, missing, totals, unreadable }: ArrivalAudit,
  missingPath: string,
) {
  const isUnfinished = totals.there === 0 || missing > MOST_MISSING
  const looked = isUnfinished && settings.missing === undefined ? [] : differences
  const byDay = new Map(days.map((day) => [day.day, day]))
  const file = new MissingFile(missingPath)
  try {
    const gaps = await findGaps({ inputs, days: byDay, service, sink: file, unreadable }, looked)
    const missing_file = (await file.finish()) ?? null
    const rows = differences.map((cell) => differenceOf(cell, gaps.get(cell) ?? plainGap(cell)))
    // Others became equal while their events were compared one by one.
    const left = rows.filter((row) => row.missing === null || row.missing + row.unknown! + row.moved! > 0)
    const isKnown = left.every(({ missing }) => missing !== null)
    const total = (name: 'missing' | 'unknown' | 'moved') => (isKnown ? sum(left, (row) => row[name]!) : null)
    const events = { missing: total('missing'), unknown: total('unknown'), moved: total('moved') }
    const { missingEvents, unknownEvents } = file
    return { differences: left, events, missing: missingEvents, missing_file, unknown: unknownEvents }
  } finally {
    await file.close()
  }
}

/** Compares a sample value by value. */
async function valuesOf(
  { inputs, settings, service, stage }: VerifyRun,
  isApart: boolean,
  people: PeopleSample,
): Promise<VerifyResult['values']> {
  const { sample: most } = settings
  if (most === 0 || inputs.length === 0) return null
  Object.assign(stage, { what: 'events compared value by value', total: sampleSizeOf(inputs, most), done: 0 })
  return checkValues({
    inputs,
    service,
    most,
    skipped: isApart ? APART_EVENT : undefined,
    each: (sent) => {
      stage.done++
      people.look(sent)
    },
  })
}

/** Asks for persons and groups. A refusal is no failure: what was proven is proven. */
async function peopleOf(
  { inputs, days }: VerifyRun,
  unreadable: boolean,
  sample: PeopleSample,
  project: AskedProject,
) {
  const [first, last] = [days[0]?.day, days.at(-1)?.day]
  if (first === undefined || last === undefined) return null
  try {
    const filter = { first, last, importIds: allIds(days), unreadable }
    return { persons: await verifyPeople(project, filter, inputs, sample) }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { unasked: `persons and groups: ${error.message}` }
  }
}

/** How a cell differs, where its counts alone say it. */
function plainGap({ here, there }: CellDifference) {
  if (there.count === 0) return { missing: here.count, unknown: 0, moved: 0 }
  return here.count === 0 ? { missing: 0, unknown: there.count, moved: 0 } : undefined
}

function differenceOf(
  { day, event, here, there }: CellDifference,
  gap: ReturnType<typeof plainGap>,
): VerifyResult['differences'][number] {
  const { missing = null, unknown = null, moved = null } = gap ?? {}
  return { day, event, here: here.count, service: there.count, missing, unknown, moved }
}

/**
 * When the import of the first input began, as its checkpoint says; else as long ago as the service keeps warnings. Whether a run
 * of it ended over the project's quota, and what it rejected.
 */
async function importedAt(place: StatePlace) {
  const state = (await (await openState(place)).load().catch(() => undefined))?.state
  const since = state?.started_at ?? new Date(Date.now() - WARNINGS_KEPT_DAYS * MS_PER_DAY).toISOString()
  // Lines that are no events are missed by nobody.
  const refused = Object.entries(state?.reasons ?? {}).filter(([reason]) => reason !== 'not_an_event_line')
  const events = state?.input.kind === 'dataset' ? sum(refused, ([, count]) => count) : 0
  const rejects = { events, file: addressIn(place, place.rejects) }
  return { since, wasOver: state?.arrival?.over_quota_at !== undefined, rejects }
}

/** Where missing events are written. Throws if the user named a file that is there. */
function missingPathOf({ missing, place: { location, stem } }: VerifySettings): string {
  const name = `${stem}.missing.ndjson`
  // Beside the checkpoint; in the working folder if that is in a bucket.
  if (missing === undefined) return isS3(location) ? name : join(location, name)
  if (!existsSync(missing)) return missing
  throw new PosthaulError(`--missing would write over ${missing}`, {
    code: 'usage',
    hint: 'name a file that does not exist yet',
  })
}
