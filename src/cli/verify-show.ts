import { hiddenGroups, isProven, type Verification } from '../checks/verification.ts'
import { EXIT, type ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'
import { verifyJson } from '../jobs/verify/verify-json.ts'
import { continueCommand, placesOf } from '../text/command-line.ts'
import { fold } from '../text/fold.ts'
import { jsonLine } from '../text/json.ts'
import { RowWriter } from './text/rows.ts'
import { differencesView, eventLines, verifySummary } from './text/verify.ts'

export interface ShowSettings {
  readonly json: boolean
  /** Events that do not show their groups are no difference. */
  readonly acceptHiddenGroups: boolean
}

/** Prints what was found. Returns the exit code. */
export async function showVerification(
  found: Verification,
  { json, acceptHiddenGroups }: ShowSettings,
  io: Io,
): Promise<ExitCode> {
  const summary = verifyJson(found)
  if (json) io.stdout.write(jsonLine(summary))
  else await showDifferences(found, io)
  io.telemetry.summary('verify', { json: summary, text: verifySummary(found) })
  const code = showSummary(found, io)
  if (code !== EXIT.done || acceptHiddenGroups || hiddenGroups(found) === 0) return code
  io.stderr.write('  events that hide their group are no failure with --accept-hidden-groups\n')
  return EXIT.rejects
}

/** Prints which days, events and values differ. */
async function showDifferences(found: Verification, { stdout }: Io): Promise<void> {
  if (found.cells.length > 0) {
    const writer = new RowWriter('table', differencesView, stdout)
    for (const cell of found.cells) await writer.write(cell)
    await writer.end()
  }
  for (const line of eventLines(found)) stdout.write(line)
}

/** Prints the totals, and how to go on. Returns the exit code. */
function showSummary(found: Verification, { stderr, argv }: Io): ExitCode {
  if (isProven(found)) return EXIT.done
  const { cells, missingFile, sentOtherwise } = found
  if (sentOtherwise) {
    const lines = ['the dataset is not what was sent: it was made anew since', ...sentOtherwise.lines]
    for (const line of lines) stderr.write(`${fold(line, '  ', '    ')}\n`)
    // To import what is missing would put it beside what is there under another name, id or time.
    return EXIT.rejects
  }
  if (missingFile !== undefined)
    stderr.write(`  then: ${continueCommand(['import', '--file', missingFile, ...placesOf(argv)])}\n`)
  // To verify again helps only if events are missing: surplus events do not go away.
  else if (cells.some(({ cell }) => cell.there.count < cell.here.count))
    stderr.write(`  then: ${continueCommand(argv)}\n`)
  return EXIT.rejects
}
