import { createRequire } from 'node:module'
import { PosthaulError } from '../../errors.ts'
import { isS3 } from '../../store/s3-location.ts'
import { type Finding, findingsOf, hasErrors } from '../finding.ts'
import { checkCaps } from './caps-asked.ts'
import { checkDisk } from './disk-room.ts'
import { type Measured, measure } from './input-size.ts'
import { checkPlaces } from './places.ts'
import type { Subject } from './subject.ts'
import { checkTarget } from './target.ts'
import type { Tools } from './tools.ts'
import { checkVendors } from './vendor-logins.ts'

/** The oldest Node that posthaul runs on, from package.json. */
const OLDEST: string = createRequire(import.meta.url)('../../../package.json').engines.node.replace('>=', '')
/** The lines of Node that the tests run on. */
const TESTED = [20, 22, 24]

const say = findingsOf('node')

/** Whether this Node is new enough, and one that the tests run on. */
export function checkNode({ node }: Pick<Tools, 'node'>): Finding[] {
  if (isOlder(node, OLDEST)) {
    const remedy = 'install a newer Node: https://nodejs.org'
    return [say.error(`Node ${node} is too old`, { cause: `posthaul needs ${OLDEST} or newer`, remedy })]
  }
  if (TESTED.includes(Number.parseInt(node, 10))) return [say.ok(`Node ${node}`)]
  const tested = `${TESTED.slice(0, -1).join(', ')} and ${TESTED.at(-1)}`
  return [say.note(`Node ${node}: posthaul is tested on Node ${tested}`)]
}

function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)))
  const at = b!.findIndex((part, index) => part !== (a![index] ?? 0))
  return at !== -1 && (a![at] ?? 0) < b![at]!
}

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
  if (!locations.some(isS3) || !hasErrors(places)) return measure(input)
  const cause = "what can't be read or written above comes first"
  return { findings: [findingsOf('input').note('the size of the input is not known', { cause })] }
}
