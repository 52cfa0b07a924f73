import type { Verification } from '../checks/verification.ts'
import type { ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'
import { openApi } from '../jobs/import/api-session.ts'
import { type ImportSettings, verifyWords } from '../jobs/import/import-settings.ts'
import { openInputs } from '../jobs/verify/verify-inputs.ts'
import { verifyInputs } from '../jobs/verify/verify-run.ts'
import { SAMPLE } from '../options/rows/verify-rows.ts'
import type { ApiSettings } from '../options/service-settings.ts'
import { sampleSize } from '../options/values.ts'
import { verifyArgv } from '../text/command-line.ts'
import { MS_PER_MINUTE } from '../text/units.ts'
import { showVerification } from './verify-show.ts'

/** How long an import waits for its events to arrive. */
const WAIT_MS = 10 * MS_PER_MINUTE

/** Verifies what an import sent, as `verify --wait 10m` does. Returns what was found, and the exit code of that. */
export async function verifyImport(
  settings: ImportSettings,
  api: ApiSettings,
  io: Io,
): Promise<{ readonly found: Verification; readonly exit: ExitCode }> {
  const { input, switches, bigIntegersAsStrings, place } = settings
  const ofDataset = input.kind === 'dataset'
  const rules = { switches, bigIntegersAsStrings }
  const inputs = await openInputs(
    ofDataset ? [input.path] : [],
    ofDataset ? [] : input.files,
    rules,
    place,
    io,
  )
  const argv = verifyArgv(verifyWords(settings), io.argv)
  const session = openApi(api, io)
  try {
    const asked = { sample: sampleSize(SAMPLE.default), waitMs: WAIT_MS, missing: undefined, place }
    const found = await verifyInputs(inputs, asked, session, io)
    return { found, exit: await showVerification(found, settings, { ...io, argv }) }
  } finally {
    await session.close()
  }
}
