import type { Verification } from '../../checks/verification.ts'
import { parseVerified, type Verified, verifiedText } from '../../checks/verified.ts'
import type { Io } from '../../io.ts'
import { openStore } from '../../store/open.ts'
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
    const store = await openStore(place.location)
    await store.put(nameOf(place), Buffer.from(verifiedText(verified)))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    io.telemetry.note('verify', `the result is not kept for posthaul report: ${why}`, 'warn')
  }
}

/** What the last verify kept; undefined if none did. */
export async function lastVerified(place: StatePlace): Promise<Verified | undefined> {
  const loaded = await (await openStore(place.location)).load(nameOf(place))
  return loaded && parseVerified(loaded.bytes)
}

function nameOf({ checkpoint }: StatePlace): string {
  return `${checkpoint.replace(/(?:\.checkpoint)?\.json$/, '')}.verified.json`
}
