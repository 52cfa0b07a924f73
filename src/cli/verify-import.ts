import type { Verification } from '../checks/index.ts'
import type { ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'
import { openApi } from '../jobs/import/api-session.ts'
import { type ImportOrder, verifyWords } from '../jobs/import/import-order.ts'
import { openInputs } from '../jobs/verify/verify-inputs.ts'
import { verifyInputs } from '../jobs/verify/verify-run.ts'
import { type ApiSettings, sampleSize, VERIFY_SAMPLE } from '../options/index.ts'
import { MS_PER_MINUTE, verifyArgv } from '../text/index.ts'
import { showVerification } from './verify-show.ts'

/** How long an import waits for its events to arrive. */
const WAIT_MS = 10 * MS_PER_MINUTE

/** Verifies what an import sent, as `verify --wait 10m` does. Returns what was found, and the exit code of that. */
export async function verifyImport(
  order: ImportOrder,
  api: ApiSettings,
  shown: { readonly json: boolean },
  io: Io,
): Promise<{ readonly found: Verification; readonly exit: ExitCode }> {
  const { input } = order.source
  const { at } = order.place
  const ofDataset = input.kind === 'dataset'
  const inputs = await openInputs(
    ofDataset ? [input.path] : [],
    ofDataset ? [] : input.files,
    order.source,
    at,
    io,
  )
  const argv = verifyArgv(verifyWords(order), io.argv)
  const session = openApi(api, io)
  try {
    const asked = {
      sample: sampleSize(VERIFY_SAMPLE.default),
      waitMs: WAIT_MS,
      missing: undefined,
      place: at,
    }
    const found = await verifyInputs(inputs, asked, session, io)
    return {
      found,
      exit: await showVerification(
        found,
        { ...shown, acceptHiddenGroups: order.guards.acceptHiddenGroups },
        { ...io, argv },
      ),
    }
  } finally {
    await session.close()
  }
}
