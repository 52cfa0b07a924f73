import { createRequire } from 'node:module'
import { assertGoing } from '../../errors.ts'
import { listInputs } from '../../inputs/list.ts'
import { readEventsManifest } from '../../store/dataset.ts'
import { openStore } from '../../store/open.ts'
import { isS3 } from '../../store/s3-location.ts'
import { firstFew } from '../../text/words.ts'
import { becauseOf, type Finding, findingsOf, hasErrors } from '../finding.ts'
import { checkPlaces } from './places.ts'
import type { Subject, Tools } from './subject.ts'
import { checkTarget } from './target.ts'
import { checkVendors } from './vendor-logins.ts'

/** The oldest Node that posthaul runs on, from package.json. */
const OLDEST: string = createRequire(import.meta.url)('../../../package.json').engines.node.replace('>=', '')

const ofNode = findingsOf('node')

/** Whether this Node is new enough. */
export function checkNode({ node }: Pick<Tools, 'node'>): Finding[] {
  if (node.localeCompare(OLDEST, 'en', { numeric: true }) < 0) {
    const remedy = 'install a newer Node: https://nodejs.org'
    return [ofNode.error(`Node ${node} is too old`, { cause: `posthaul needs ${OLDEST} or newer`, remedy })]
  }
  return [ofNode.ok(`Node ${node}`)]
}

/**
 * Looks whether a migration can begin: nothing is sent, and nothing is kept but what a probe removes again. What a check
 * can't find out is a note. The checks run side by side; a server that is silent is waited for as long as `tools` say.
 * Throws only for a bug, and code `interrupted`.
 */
export async function preflight(subject: Subject, tools: Tools): Promise<Finding[]> {
  const places = checkPlaces(subject, tools)
  const found = await Promise.all([
    checkNode(tools),
    places.then((ofPlaces) => checkInput(subject, ofPlaces)),
    checkTarget(subject, tools),
    checkVendors(subject, tools),
    places,
  ])
  // What was asked when the signal came is not known, so no finding is true any more.
  assertGoing(tools.signal)
  return found.flat()
}

const ofInput = findingsOf('input')

/** Whether the input can be read: the head of each file, or the manifest of a dataset. */
async function checkInput({ input }: Subject, places: readonly Finding[]): Promise<Finding[]> {
  if (!input) return []
  const locations = 'dataset' in input ? [input.dataset] : input.files
  // A bucket that can't be read would be asked again and again: the probe waits for less.
  if (locations.some(isS3) && hasErrors(places)) return []
  try {
    await ('dataset' in input ? openStore(input.dataset).then(readEventsManifest) : listInputs(input.files))
    return [ofInput.ok(`${firstFew(locations, 1)} can be read`)]
  } catch (error) {
    return [ofInput.error("the input can't be read", becauseOf(error))]
  }
}
