import { hiddenGroups, type Verification } from '../../checks/verification.ts'
import { EXIT, type ExitCode } from '../../errors.ts'
import { HIDDEN_GROUPS } from '../../guards/groups.ts'
import { openApi } from '../../imports/api-session.ts'
import type { ImportOrder } from '../../imports/import-order.ts'
import { openInputs } from '../../imports/verify-inputs.ts'
import type { Io } from '../../io.ts'
import { VERIFY_SAMPLE } from '../../options/rows/verify-rows.ts'
import type { ApiSettings } from '../../options/service-settings.ts'
import { sampleSize } from '../../options/values.ts'
import { placesOf, verifyArgv } from '../../text/command-line.ts'
import { fold } from '../../text/fold.ts'
import { jsonLine } from '../../text/json.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { MS_PER_MINUTE } from '../../text/units.ts'
import { verifyWords } from '../import/import-json.ts'
import type { VerifyResult } from '../results.ts'
import { RowPrinter } from '../rows.ts'
import { differencesView, eventLines, verifySummary } from './text.ts'
import { verifyJson } from './verify-json.ts'
import { verifyInputs } from './verify-run.ts'

interface ShowSettings {
  readonly json: boolean
  readonly accept: readonly string[]
}

/** Prints what was found. Returns the exit code. */
export async function showVerification(
  found: Verification,
  { json, accept }: ShowSettings,
  io: Io,
): Promise<ExitCode> {
  const result = verifyJson(found)
  if (json) io.stdout.write(jsonLine(result))
  else await showDifferences(result, io)
  io.telemetry.summary('verify', { json: result, text: verifySummary(result, found) })
  const code = showSummary(result, io)
  if (code !== EXIT.done || accept.includes(HIDDEN_GROUPS) || hiddenGroups(found) === 0) return code
  io.stderr.write('  events that hide their group are no failure with --accept hidden_groups\n')
  return EXIT.rejects
}

/** Prints which days, events and values differ. */
async function showDifferences(result: VerifyResult, { stdout }: Io): Promise<void> {
  if (result.differences.length > 0) {
    const writer = new RowPrinter('table', differencesView, stdout)
    for (const row of result.differences) await writer.write(row)
    await writer.end()
  }
  for (const line of eventLines(result)) stdout.write(line)
}

/** Prints the totals, and how to go on. Returns the exit code. */
function showSummary(result: VerifyResult, { stderr, argv }: Io): ExitCode {
  const { equal, differences, missing_file: file, sent_otherwise: otherwise } = result
  if (equal) return EXIT.done
  if (otherwise) {
    const lines = ['the dataset is not what was sent: it was made anew since', ...otherwise.text]
    for (const line of lines) stderr.write(`${fold(line, '  ', '    ')}\n`)
    // To import what is missing would put it beside what is there under another name, id or time.
    return EXIT.rejects
  }
  if (file !== null) stderr.write(`  then: ${posthaulLine(['import', '--file', file, ...placesOf(argv)])}\n`)
  // To verify again helps only if events are missing: surplus events do not go away.
  else if (differences.some(({ service, here }) => service < here))
    stderr.write(`  then: ${posthaulLine(argv)}\n`)
  return EXIT.rejects
}

/** How long an import waits for its events to arrive. */
const WAIT_MS = 10 * MS_PER_MINUTE

/** Verifies what an import sent, as `verify --wait 10m` does. Returns the exit code of that. */
export async function verifyImport(
  order: ImportOrder,
  api: ApiSettings,
  shown: { readonly json: boolean },
  io: Io,
): Promise<ExitCode> {
  const { input } = order.source
  const { at } = order.place
  const named =
    input.kind === 'dataset'
      ? { datasets: [input.path] }
      : { datasets: [], files: input.files, rules: order.source }
  const inputs = await openInputs(named, at, io)
  const argv = verifyArgv(verifyWords(order), io.argv)
  const session = openApi(api, io)
  try {
    const sample = sampleSize(VERIFY_SAMPLE.default)
    const asked = { sample, waitMs: WAIT_MS, missing: undefined, place: at }
    const found = await verifyInputs(inputs, asked, session, io)
    const settings = { ...shown, accept: order.guards.accept }
    return await showVerification(found, settings, { ...io, argv })
  } finally {
    await session.close()
  }
}
