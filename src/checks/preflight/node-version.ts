import { createRequire } from 'node:module'
import { type Finding, findingsOf } from './finding.ts'
import type { Tools } from './tools.ts'

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
