import { keptOf, VERIFIED, type Verification, type Verified } from '../../checks/index.ts'
import type { Io } from '../../io.ts'
import { type Cell, storeCell } from '../../state/cell.ts'
import { openStore } from '../../store/index.ts'
import { VERSION } from '../../version.ts'
import type { StatePlace } from '../import/state-place.ts'
import { verifyJson } from './verify-json.ts'

/** What a verify found, as it is kept. */
export function verifiedOf(found: Verification): Verified {
  const { at, host, project } = found.asked
  return {
    version: 1,
    tool: `posthaul ${VERSION}`,
    asked_at: at,
    host,
    project,
    inputs: found.inputs.map(({ paths, sha256, isOwn }) => ({
      paths: [...paths],
      sha256,
      own: isOwn ?? false,
    })),
    found: verifyJson(found),
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

async function cellIn({ location, checkpoint }: StatePlace): Promise<Cell> {
  const name = `${checkpoint.replace(/(?:\.checkpoint)?\.json$/, '')}.verified.json`
  return storeCell(await openStore(location), name)
}
