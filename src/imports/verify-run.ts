import { ArrivalAudit } from '../checks/arrival-audit.ts'
import type { CellDifference } from '../checks/compare.ts'
import { type DayFrame, expectedFrames } from '../checks/expected.ts'
import { findGaps } from '../checks/gaps.ts'
import { Findings, MissingFile } from '../checks/missing-file.ts'
import { PeopleSample } from '../checks/people.ts'
import type { ServiceEvents } from '../checks/service-view.ts'
import { checkValues, sampleSizeOf, type ValueReport } from '../checks/value-check.ts'
import type { CellGap, Verification } from '../checks/verification.ts'
import { hiddenBefore, shownOf, type VerifyInput } from '../checks/verify-input.ts'
import { assertGoing } from '../errors.ts'
import { systemClock } from '../http/clock.ts'
import type { Io } from '../io.ts'
import { APART_EVENT } from '../record/stored-properties.ts'
import type { Api } from '../service/api.ts'
import { ServiceError } from '../service/errors.ts'
import { WARNINGS_KEPT_DAYS } from '../service/ingestion-warnings.ts'
import { chooseProject } from '../service/key-owner.ts'
import { type Progress, startProgress } from '../telemetry/progress.ts'
import { sum } from '../text/lists.ts'
import { MS_PER_DAY } from '../text/units.ts'
import { number, plural, span } from '../text/words.ts'
import { askWarnings } from './ask-warnings.ts'
import { eventQuota } from './event-quota.ts'
import { askRetention } from './losses.ts'
import { openState, type StatePlace } from './state-place.ts'
import { serviceEvents } from './verify-inputs.ts'
import { keepVerified, missingPathOf, verifiedOf } from './verify-of.ts'
import { type AskedProject, verifyKept, verifyPeople } from './verify-people.ts'

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
  const retention = await askRetention(api, projectId, (what) => void unasked.push(what))
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
    const quota = await eventQuota(api, projectId, (what) => void unasked.push(what))
    const found: Verification = {
      asked: { at: new Date().toISOString(), host: api.origin, project: projectId },
      inputs,
      hidden: retention && hiddenBefore(inputs, retention),
      days: run.days.length,
      here: audit.here,
      there: audit.there,
      others: audit.others,
      rounded: audit.rounded,
      doubled: audit.doubled,
      apart: audit.apart,
      ...gaps,
      values,
      ...asked,
      unasked,
      warnings,
      overQuota: wasOver || quota?.limited === true,
    }
    await keepVerified(settings.place, verifiedOf(found), io)
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
  ): Promise<Pick<Verification, 'cells' | 'missingEvents' | 'unknownEvents' | 'missingFile'>> {
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
      const missingFile = await file.finish()
      const cells = differences.map((cell) => ({ cell, gap: gaps.get(cell) ?? plainGap(cell) }))
      const { missingEvents, unknownEvents } = findings
      return { cells: cells.filter(isGap), missingEvents, unknownEvents, missingFile }
    } finally {
      await file.close()
    }
  }

  /** Compares a sample value by value. */
  async values(audit: ArrivalAudit, people: PeopleSample): Promise<ValueReport | undefined> {
    const { inputs } = this.#compared
    const { sample } = this.#compared.settings
    if (sample === 0 || inputs.length === 0 || audit.there === 0) return undefined
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
  ): Promise<Pick<Verification, 'people' | 'kept' | 'unasked'>> {
    const [first, last] = [this.days[0]?.day, this.days.at(-1)?.day]
    if (audit.there === 0 || first === undefined || last === undefined)
      return { people: undefined, kept: undefined, unasked: [] }
    const ids = this.days.map(({ importIds }) => importIds)
    const importIds = ids.includes(null) ? null : [...new Set(ids.flatMap((own) => own ?? []))]
    try {
      const filter = { first, last, importIds, unreadable: audit.unreadable }
      const people = await verifyPeople(project, filter, this.#compared.inputs, sample)
      return { people, kept: await verifyKept(project, this.#compared.inputs), unasked: [] }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return { people: undefined, kept: undefined, unasked: [`persons and groups: ${error.message}`] }
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

/** False for a cell that became equal while its events were compared one by one. */
function isGap({ gap }: CellGap): boolean {
  return gap === undefined || gap.missing + gap.unknown + gap.moved > 0
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
