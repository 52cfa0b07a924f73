import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ArrivalAudit } from '../checks/arrival-audit.ts'
import type { CellDifference } from '../checks/compare.ts'
import { type DayFrame, expectedFrames } from '../checks/expected.ts'
import { findGaps } from '../checks/gaps.ts'
import { Findings, MissingFile } from '../checks/missing-file.ts'
import { PeopleSample } from '../checks/people.ts'
import { type ServiceEvents, serviceEvents } from '../checks/service-view.ts'
import { checkValues, sampleSizeOf } from '../checks/value-check.ts'
import { hiddenBefore, shownOf, type VerifyInput } from '../checks/verify-input.ts'
import { assertGoing, PosthaulError } from '../errors.ts'
import { systemClock } from '../http/clock.ts'
import type { Io } from '../io.ts'
import { APART_EVENT } from '../record/stored-properties.ts'
import type { Api } from '../service/api.ts'
import { ServiceError } from '../service/errors.ts'
import { eventQuota } from '../service/event-quota.ts'
import { WARNINGS_KEPT_DAYS } from '../service/ingestion-warnings.ts'
import { chooseProject, projectById } from '../service/key-owner.ts'
import { retentionOf } from '../service/retention.ts'
import { isS3 } from '../store/s3-location.ts'
import { type Progress, startProgress } from '../telemetry/progress.ts'
import { sum } from '../text/lists.ts'
import { MS_PER_DAY } from '../text/units.ts'
import { number, plural, span } from '../text/words.ts'
import { VERSION } from '../version.ts'
import { ifAnswered, QUOTA_LEFT } from './ask-project.ts'
import { askWarnings } from './ask-warnings.ts'
import { openState, type StatePlace } from './state-place.ts'
import { keepVerified, type Verified } from './verified.ts'
import { type AskedProject, verifyKept, verifyPeople } from './verify-people.ts'
import { isProven, likelyCauses, type VerifyResult } from './verify-result.ts'

/** So many ids are held at once: about 100 MB. */
const PASS_EVENTS = 1_000_000

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

/** What a verify found, and who was asked what. */
interface Verification extends Omit<Verified, 'found'> {
  readonly found: VerifyResult
}

/** Proves that the events of all inputs are in the service. */
export async function verifyInputs(
  inputs: readonly VerifyInput[],
  settings: VerifySettings,
  api: Api,
  io: Io,
): Promise<Verification> {
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
  const run = new VerifyRun({ inputs: shown, settings, service: serviceEvents(api, projectId) }, io)
  try {
    const audit = await run.audit()
    const gaps = await run.gaps(audit, missingPath)
    const people = new PeopleSample()
    const values = await run.values(audit, people)
    const asked = await run.people(audit, people, project)
    const { since, wasOver } = await importedAt(settings.place)
    const warnings = await askWarnings(api, projectId, since)
    unasked.push(...asked.unasked)
    const quota = await orSay(eventQuota(api, projectId), QUOTA_LEFT)
    const at = new Date().toISOString()
    const hidden = retention && hiddenBefore(inputs, retention)
    const result = {
      ...({ version: 1, command: 'verify' } as const),
      datasets: inputs.flatMap(({ paths }) => paths),
      equal: false,
      days: run.days.length,
      events: {
        here: audit.here,
        service: audit.there,
        others: audit.others,
        ...gaps.events,
        rounded: audit.rounded,
        doubled: sum(audit.doubled, ({ more }) => more),
        apart: audit.apart,
      },
      hidden: hidden
        ? { events: hidden.events, days: hidden.days, months: hidden.months, shown_from: hidden.firstDay }
        : null,
      doubled: audit.doubled.map(({ day, event, more, example: { uuid, times } }) => {
        return { day, event, more, uuid, times }
      }),
      differences: gaps.differences,
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
      persons: asked.persons,
      put_right: asked.put_right,
      ingestion_warnings: warnings,
      likely_causes: likelyCauses(
        { differences: gaps.differences, ingestion_warnings: warnings },
        at,
        wasOver || quota?.limited === true,
      ),
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

/** What is compared with what. */
interface Compared {
  readonly inputs: readonly VerifyInput[]
  readonly settings: VerifySettings
  readonly service: ServiceEvents
}

class VerifyRun {
  readonly days: readonly DayFrame[]
  readonly progress: Progress
  readonly #compared: Compared
  readonly #io: Io
  /** What is being compared, and how much of it is done. */
  #stage: { readonly what: string; readonly total: number; done: number }

  constructor(compared: Compared, io: Io) {
    const { inputs } = compared
    this.#compared = compared
    this.#io = io
    this.days = expectedFrames(inputs)
    this.#stage = { what: 'events', total: sum(inputs, ({ sums }) => sums.events), done: 0 }
    this.progress = startProgress({
      telemetry: io.telemetry,
      unit: 'events',
      label: 'verify',
      look: () => ({ doneBytes: this.#stage.done, totalBytes: this.#stage.total, events: this.#stage.done }),
      describe: () => `${number(this.#stage.done)} of ${number(this.#stage.total)} ${this.#stage.what}`,
    })
  }

  /** Compares counts and fingerprints, again and again while events are missing and there is time. */
  async audit(): Promise<ArrivalAudit> {
    const audit = new ArrivalAudit({
      inputs: this.#compared.inputs,
      service: this.#compared.service,
      passEvents: PASS_EVENTS,
      progress: (events) => {
        this.#stage.done += events
      },
    })
    await audit.run()
    await audit.wait({
      forMs: this.#compared.settings.waitMs,
      now: systemClock.now,
      sleep: (ms) => this.#sleep(ms),
      note: (missing, days, ms) => {
        const what =
          missing > 0 ? `${plural(missing, 'event')} of ${plural(days, 'day')}` : plural(days, 'day')
        this.progress.note(`still missing: ${what}; asking again in ${span(ms)}`)
      },
    })
    return audit
  }

  /** Finds out which events differ, and writes the missing ones to a file. */
  async gaps(
    audit: ArrivalAudit,
    missingPath: string,
  ): Promise<
    Pick<VerifyResult, 'differences' | 'missing' | 'unknown' | 'missing_file'> & {
      readonly events: Pick<VerifyResult['events'], 'missing' | 'unknown' | 'moved'>
    }
  > {
    const { differences } = audit
    const days = new Map(this.days.map((day) => [day.day, day]))
    const isNamed = this.#compared.settings.missing !== undefined
    const isUnfinished = audit.there === 0 || audit.missing > MOST_MISSING
    const looked = isUnfinished && !isNamed ? [] : differences
    const file = new MissingFile(missingPath)
    try {
      const findings = new Findings(file)
      const gaps = await findGaps(
        {
          inputs: this.#compared.inputs,
          days,
          service: this.#compared.service,
          sink: findings,
          unreadable: audit.unreadable,
          passEvents: PASS_EVENTS,
        },
        looked,
      )
      const missing_file = (await file.finish()) ?? null
      const rows = differences.map((cell) => differenceOf(cell, gaps.get(cell) ?? plainGap(cell)))
      // Others became equal while their events were compared one by one.
      const left = rows.filter((row) => row.missing === null || row.missing + row.unknown! + row.moved! > 0)
      const isKnown = left.every(({ missing }) => missing !== null)
      const total = (name: 'missing' | 'unknown' | 'moved') =>
        isKnown ? sum(left, (row) => row[name]!) : null
      const events = { missing: total('missing'), unknown: total('unknown'), moved: total('moved') }
      const { missingEvents: missing, unknownEvents: unknown } = findings
      return { differences: left, events, missing, missing_file, unknown }
    } finally {
      await file.close()
    }
  }

  /** Compares a sample value by value. */
  async values(audit: ArrivalAudit, people: PeopleSample): Promise<VerifyResult['values']> {
    const { inputs } = this.#compared
    const { sample } = this.#compared.settings
    if (sample === 0 || inputs.length === 0 || audit.there === 0) return null
    const total = sampleSizeOf(inputs, sample)
    this.#stage = { what: 'events compared value by value', total, done: 0 }
    return checkValues({
      inputs,
      service: this.#compared.service,
      most: sample,
      skipped: audit.apart > 0 ? APART_EVENT : undefined,
      each: (sent) => {
        this.#stage.done++
        people.look(sent)
      },
    })
  }

  /** Asks for persons and groups. A refusal is no failure: what was proven is proven. */
  async people(
    audit: ArrivalAudit,
    sample: PeopleSample,
    project: AskedProject,
  ): Promise<Pick<VerifyResult, 'persons' | 'put_right' | 'unasked'>> {
    const [first, last] = [this.days[0]?.day, this.days.at(-1)?.day]
    if (audit.there === 0 || first === undefined || last === undefined)
      return { persons: null, put_right: null, unasked: [] }
    const ids = this.days.map(({ importIds }) => importIds)
    const importIds = ids.includes(null) ? null : [...new Set(ids.flatMap((own) => own ?? []))]
    try {
      const filter = { first, last, importIds, unreadable: audit.unreadable }
      const persons = await verifyPeople(project, filter, this.#compared.inputs, sample)
      return { persons, put_right: await verifyKept(project, this.#compared.inputs), unasked: [] }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return { persons: null, put_right: null, unasked: [`persons and groups: ${error.message}`] }
    }
  }

  async #sleep(ms: number): Promise<void> {
    const { interrupted } = this.#io
    await systemClock.sleep(ms, interrupted)
    assertGoing(interrupted)
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
 * When the import of the first input began, as its checkpoint says; else as long ago as the service keeps warnings. And
 * whether a run of it ended over the project's quota.
 */
async function importedAt(place: StatePlace): Promise<{ readonly since: string; readonly wasOver: boolean }> {
  const state = (await (await openState(place)).load().catch(() => undefined))?.state
  const since = state?.started_at ?? new Date(Date.now() - WARNINGS_KEPT_DAYS * MS_PER_DAY).toISOString()
  return { since, wasOver: state?.arrival?.over_quota_at !== undefined }
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
