import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Change } from '../checks/changes.ts'
import type { PeopleReport } from '../checks/people.ts'
import {
  countedTwice,
  gapOf,
  isProven,
  likelyCauses,
  type NamedEvent,
  unreadableLines,
  type Verification,
} from '../checks/verification.ts'
import { secondText } from '../checks/words/of-service.ts'
import { PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import { type Cell, storeCell } from '../state/cell.ts'
import { openStore } from '../store/open.ts'
import { isS3 } from '../store/s3-location.ts'
import { VERSION } from '../version.ts'
import type { StatePlace } from './state-place.ts'
import { keptOf, VERIFIED, type Verified } from './verified.ts'
import type { VerifyResult } from './verify-result.ts'

/** The result of a verification. */
export function verifyOf(verification: Verification): VerifyResult {
  const { inputs, days, here, there, others, cells, values, people, unasked, sentOtherwise, hidden } =
    verification
  const gap = gapOf(verification)
  return {
    version: 1,
    command: 'verify',
    datasets: inputs.flatMap(({ paths }) => paths),
    equal: isProven(verification),
    days,
    events: {
      here,
      service: there,
      others,
      missing: gap?.missing ?? null,
      unknown: gap?.unknown ?? null,
      moved: gap?.moved ?? null,
      rounded: verification.rounded,
      doubled: countedTwice(verification),
      apart: verification.apart,
    },
    hidden: hidden
      ? { events: hidden.events, days: hidden.days, months: hidden.months, shown_from: hidden.firstDay }
      : null,
    doubled: verification.doubled.map(({ day, event, more, example: { uuid, times } }) => {
      return { day, event, more, uuid, times }
    }),
    differences: cells.map(({ cell: { day, event, here, there }, gap }) => ({
      day,
      event,
      here: here.count,
      service: there.count,
      missing: gap?.missing ?? null,
      unknown: gap?.unknown ?? null,
      moved: gap?.moved ?? null,
    })),
    inputs: inputs.map(({ paths, sums, importIds }) => ({
      paths,
      events: sums.events,
      days: sums.days.size,
      whole_days: sums.wholeDays,
      import_ids: importIds,
    })),
    unreadable: unreadableLines(verification),
    unreadable_in: inputs.flatMap(({ unreadable }) => [...unreadable.keys()])[0] ?? null,
    missing: verification.missingEvents.map(eventJson),
    missing_file: verification.missingFile ?? null,
    unknown: verification.unknownEvents.map(eventJson),
    values: values
      ? {
          compared: values.compared,
          absent: values.absent,
          changed: values.changed,
          changes: values.changes.map(changeJson),
          known_changes: values.known,
          unparseable: values.unparseable,
        }
      : null,
    persons: people ? peopleJson(people) : null,
    put_right: verification.kept ?? null,
    ingestion_warnings: verification.warnings,
    likely_causes: likelyCauses(verification),
    unasked,
    sent_otherwise: sentOtherwise
      ? { count: sentOtherwise.twice, names: sentOtherwise.names, text: sentOtherwise.lines }
      : null,
  }
}

function eventJson({ day, event, uuid, distinctId }: NamedEvent) {
  return { day, event, uuid, distinct_id: distinctId }
}

function changeJson({ property, here, there, ...event }: Change) {
  return { ...eventJson(event), property, here, service: there }
}

function peopleJson({ distinctIds, persons, merges, groups }: PeopleReport) {
  return {
    distinct_ids: { here: distinctIds.here, service: distinctIds.there },
    persons,
    merges: { events: merges.events, asked: merges.asked, apart: merges.apart },
    groups: groups.map(({ type, events, since, keys }) => ({
      type,
      events: { here: events.here, service: events.there, hidden: events.hidden },
      since: since === null ? null : secondText(since),
      keys: { service: keys.there, asked: keys.asked, absent: keys.absent },
    })),
  }
}

/** What a verify found, as it is kept. */
export function verifiedOf(found: Verification): Verified {
  const { at, host, project } = found.asked
  return {
    tool: `posthaul ${VERSION}`,
    asked_at: at,
    host,
    project,
    inputs: found.inputs.map(({ paths, sha256, isOwn }) => ({
      paths: [...paths],
      sha256,
      own: isOwn ?? false,
    })),
    found: verifyOf(found),
  }
}

/** Keeps what a verify found beside the state of the import. What can't be written is no failure of the verify. */
export async function keepVerified(place: StatePlace, verified: Verified, io: Io): Promise<void> {
  try {
    await VERIFIED.save(await cellIn(place), keptOf(verified))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    io.telemetry.note('verify', `the result is not kept for posthaul report: ${why}`, 'warn')
  }
}

/** What the last verify kept; undefined if none did. */
export async function lastVerified(place: StatePlace): Promise<Verified | undefined> {
  return (await VERIFIED.load(await cellIn(place)))?.value
}

async function cellIn({ location, stem }: StatePlace): Promise<Cell> {
  return storeCell(await openStore(location), `${stem}.verified.json`)
}

/** Where missing events are written. Throws if the user named a file that is there. */
export function missingPathOf({
  missing,
  place,
}: {
  readonly missing: string | undefined
  readonly place: StatePlace
}): string {
  const { location, stem } = place
  const name = `${stem}.missing.ndjson`
  // Beside the checkpoint; in the working folder if that is in a bucket.
  if (missing === undefined) return isS3(location) ? name : join(location, name)
  if (!existsSync(missing)) return missing
  throw new PosthaulError(`--missing would write over ${missing}`, {
    code: 'usage',
    hint: 'name a file that does not exist yet',
  })
}
