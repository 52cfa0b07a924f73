import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/*
 * Switches off all that counts what became of members and what events hold, in a build that has a file for each module: its
 * folder is POSTHAUL_MODULES. To be loaded with `node --import`, which workers inherit. What is left is the rest of a
 * transform.
 */
const built = (file: string) =>
  import(pathToFileURL(join(process.env.POSTHAUL_MODULES!, 'dist/mapping', file)).href)

const { InventoryTaker } = await built('inventory-taker.js')
const { MemberCounts } = await built('member-counts.js')
for (const prototype of [InventoryTaker.prototype, MemberCounts.prototype]) {
  for (const name of [
    'begin',
    'add',
    'meet',
    'meetOpened',
    'meetShape',
    'countProperties',
    'handOver',
    'except',
    'lose',
    'copied',
    'commit',
  ]) {
    if (name in prototype) prototype[name] = () => {}
  }
}
