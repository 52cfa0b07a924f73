import { PosthaulError } from '../../errors.ts'
import { isS3 } from '../../store/s3-location.ts'
import { checkCaps } from './caps-asked.ts'
import { checkDisk } from './disk-room.ts'
import { type Finding, findingsOf, hasFailed } from './finding.ts'
import { type Measured, measure } from './input-size.ts'
import { checkNode } from './node-version.ts'
import { checkPlaces } from './places.ts'
import type { Subject } from './subject.ts'
import { checkTarget } from './target.ts'
import type { Tools } from './tools.ts'
import { checkVendors } from './vendors.ts'

/**
 * Looks whether a migration can begin: nothing is sent, and nothing is kept but what a probe removes again. What a check
 * can't find out is a note. The checks run side by side; a server that is silent is waited for as long as `tools` say.
 * Throws only for a bug, and code `interrupted`.
 */
export async function preflight(subject: Subject, tools: Tools): Promise<Finding[]> {
  const places = checkPlaces(subject, tools)
  const measured = places.then((found) => measureAfter(found, subject))
  const found = await Promise.all([
    checkNode(tools),
    measured.then(({ findings }) => findings),
    measured.then(({ input }) => checkDisk(subject, input, tools)),
    checkTarget(subject, tools),
    checkVendors(subject, tools),
    places,
    measured.then(({ input }) => checkCaps(subject, input)),
  ])
  // What was asked when the signal came is not known, so no finding is true any more.
  if (tools.signal.aborted) throw new PosthaulError('interrupted', { code: 'interrupted' })
  return found.flat()
}

/** A bucket that can't be read would be asked again and again: the probe waits for less. */
async function measureAfter(places: readonly Finding[], { input }: Subject): Promise<Measured> {
  const locations = input === undefined ? [] : 'dataset' in input ? [input.dataset] : input.files
  if (!locations.some(isS3) || !hasFailed(places)) return measure(input)
  const cause = "what can't be read or written above comes first"
  return { findings: [findingsOf('input').note('the size of the input is not known', { cause })] }
}
