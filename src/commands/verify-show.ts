import { isProven, type Verification } from '../audit/verification.ts'
import { EXIT, type ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'
import { continueCommand, placesOf } from '../report/command-line.ts'
import { RowWriter } from '../report/rows.ts'
import { differencesView, eventLines, verifySummary } from '../report/verify.ts'
import { verifyJson } from '../report/verify-json.ts'

/** Prints what was found. Returns the exit code. */
export async function showVerification(found: Verification, json: boolean, io: Io): Promise<ExitCode> {
  if (json) io.stdout.write(`${JSON.stringify(verifyJson(found))}\n`)
  else await showDifferences(found, io)
  return showSummary(found, io)
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
  stderr.write(verifySummary(found))
  if (isProven(found)) return EXIT.done
  const { cells, missingFile } = found
  if (missingFile !== undefined)
    stderr.write(`  then: ${continueCommand(['import', '--file', missingFile, ...placesOf(argv)])}\n`)
  // To verify again helps only if events are missing: surplus events do not go away.
  else if (cells.some(({ cell }) => cell.there.count < cell.here.count))
    stderr.write(`  then: ${continueCommand(argv)}\n`)
  return EXIT.rejects
}
