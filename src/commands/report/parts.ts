import type { Verification } from '../../checks/verification.ts'
import { datasetInput, type VerifyInput } from '../../checks/verify-input.ts'
import type { StatePlace } from '../../imports/state-place.ts'
import type { Io } from '../../io.ts'
import { openStore } from '../../store/open.ts'
import { withoutPings } from '../../text/command-line.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { MS_PER_SECOND } from '../../text/units.ts'
import { number, plural, span } from '../../text/words.ts'
import { VERSION } from '../../version.ts'
import { APPROVAL_TODAY } from '../check/check-json.ts'
import type { Checked } from '../check/run.ts'
import { verifiedOf } from '../verify/verify-json.ts'
import { cutText } from './bounds.ts'
import { peoplePart } from './dataset-parts.ts'
import { type FoundImport, importLeftOut, importRejects, importsOf, lookAt } from './import-parts.ts'
import { datasetDays, namesOf, proofOf } from './proof.ts'
import type { ReportData } from './report-data.ts'
import { figuresOf, reducedNotes, verdictOf } from './summing-up.ts'

export type Shown = Omit<
  ReportData,
  'title' | 'command' | 'tool' | 'madeAt' | 'figures' | 'missing' | 'reduced' | 'verdict'
>

/** The page of imports: of one that has ended, with its verification if there was one, or of those that status looks at. */
export async function importsPage(
  command: 'import' | 'status',
  places: readonly StatePlace[],
  found?: Verification,
): Promise<ReportData> {
  const missing: string[] = []
  const runs: FoundImport[] = []
  for (const place of places) {
    const { run } = await lookAt(place, missing)
    if (run) runs.push(run)
  }
  const host = runs[0]?.state.target.host
  const shown: Shown = {
    ...(host !== undefined && { target: { host } }),
    ...(found && (await proofParts(found))),
    ...importsOf(runs),
    rejects: (await Promise.all(runs.map((run) => importRejects(run, missing)))).flat(),
    leftOut: runs.flatMap(({ state }) => importLeftOut(state)),
    commands: runs
      .filter(({ state }) => state.command.length > 0)
      .map(({ state }) => ({ title: 'Send the events', line: posthaulLine(withoutPings(state.command)) })),
  }
  const title = `Import of ${runs.map(({ state }) => state.input.name).join(', ')}`
  return paged(title, command, shown, { missing, reduced: [] })
}

/** The page of a verify. */
export async function verifyPage(found: Verification, { argv }: Io): Promise<ReportData> {
  const own = ownOf(found)
  const shown: Shown = {
    ...(await proofParts(found)),
    commands: [{ title: 'Prove that they arrived', line: posthaulLine(withoutPings(argv)) }],
  }
  return paged(`Proof for ${pathsOf(own)}`, 'verify', shown)
}

async function proofParts(found: Verification): Promise<Pick<Shown, 'target' | 'days' | 'proof' | 'people'>> {
  const own = ownOf(found)
  const verified = verifiedOf(found)
  const names = await namesOf(own)
  const { proof, days } = await proofOf(verified, found.inputs, names)
  return {
    target: { host: verified.host, project: verified.project },
    days: [await datasetDays(own, names), days],
    proof,
    people: peoplePart([], verified.found),
  }
}

/** The inputs without the events that the import made itself. */
function ownOf({ inputs }: Verification): VerifyInput[] {
  return inputs.filter(({ isOwn }) => !isOwn)
}

/** What a page says that it does not show. */
export interface PageNotes {
  readonly missing: string[]
  readonly reduced: string[]
}

/** A page of these parts. */
export function paged(
  title: string,
  command: ReportData['command'],
  shown: Shown,
  { missing, reduced }: PageNotes = { missing: [], reduced: [] },
): ReportData {
  const verdict = verdictOf(shown)
  return {
    title: cutText(title),
    command,
    tool: `posthaul ${VERSION}`,
    madeAt: new Date().toISOString(),
    ...(verdict && { verdict }),
    figures: figuresOf(shown),
    missing,
    reduced: [...reduced, ...reducedNotes(shown)],
    ...shown,
  }
}

function pathsOf(inputs: readonly VerifyInput[]): string {
  return inputs.flatMap(({ paths }) => paths).join(', ')
}

/** The page of a check. `dataset`: its place, if it is one; files have no days by name. */
export async function checkPage(
  { result, next }: Checked,
  dataset: string | undefined,
  { argv }: Io,
): Promise<ReportData> {
  const { problems } = result
  const errors = problems.filter(({ level }) => level === 'error').length
  const inputs = dataset === undefined ? [] : [await datasetInput(await openStore(dataset))]
  const shown: Shown = {
    ...(inputs.length > 0 && { days: [await datasetDays(inputs, await namesOf(inputs))] }),
    problems,
    approval: { text: result.approval_request, notes: APPROVAL_TODAY },
    commands: [
      { title: 'This check', line: posthaulLine(withoutPings(argv)) },
      { title: errors > 0 ? 'Once the errors are mended' : 'Then', line: posthaulLine(next) },
    ],
  }
  const data = paged(`Check of ${result.dataset}`, 'check', shown)
  return {
    ...data,
    verdict:
      errors > 0
        ? {
            level: 'error',
            title: 'The events must not be sent as they are.',
            text: 'Events that were sent cannot be taken back.',
          }
        : {
            level: 'good',
            title: 'Nothing stands against the import.',
            ...(problems.length > 0 && { text: `${plural(problems.length, 'thing')} to know before it.` }),
          },
    figures: [
      { label: 'Events', value: result.events },
      {
        label: 'Days',
        value: result.days,
        ...(result.span && { meaning: `${result.span.first} to ${result.span.last}` }),
      },
      {
        label: 'Least time',
        value: span(result.seconds_at_cap * MS_PER_SECOND),
        meaning: `at ${number(result.caps.events_per_minute)} events a minute`,
      },
      {
        label: 'Things to know',
        value: problems.length,
        level: errors > 0 ? 'error' : problems.length > 0 ? 'warning' : 'good',
      },
    ],
  }
}
