import type { Verification, VerifyInput } from '../../checks/index.ts'
import type { Io } from '../../io.ts'
import { continueCommand, withoutPings } from '../../text/index.ts'
import { VERSION } from '../../version.ts'
import type { StatePlace } from '../import/state-place.ts'
import { verifiedOf } from '../verify/verified-file.ts'
import { cutText } from './bounds.ts'
import { type FoundImport, lookAt } from './import-found.ts'
import { importLeftOut } from './import-parts.ts'
import { importRejects, importsOf } from './import-shown.ts'
import { peoplePart } from './people-part.ts'
import { reducedNotes } from './reduced.ts'
import { datasetDays, namesOf, proofOf } from './report-cells.ts'
import type { ReportData } from './report-data.ts'
import { figuresOf, verdictOf } from './summing-up.ts'

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
      .map(({ state }) => ({ title: 'Send the events', line: continueCommand(withoutPings(state.command)) })),
  }
  const title = `Import of ${runs.map(({ state }) => state.input.name).join(', ')}`
  return paged(title, command, shown, missing)
}

/** The page of a verify. */
export async function verifyPage(found: Verification, { argv }: Io): Promise<ReportData> {
  const own = ownOf(found)
  const shown: Shown = {
    ...(await proofParts(found)),
    commands: [{ title: 'Prove that they arrived', line: continueCommand(withoutPings(argv)) }],
  }
  return paged(`Proof for ${pathsOf(own)}`, 'verify', shown, [])
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

/** A page of these parts. */
export function paged(
  title: string,
  command: ReportData['command'],
  shown: Shown,
  missing: readonly string[],
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
    reduced: reducedNotes(shown),
    ...shown,
  }
}

function pathsOf(inputs: readonly VerifyInput[]): string {
  return inputs.flatMap(({ paths }) => paths).join(', ')
}
