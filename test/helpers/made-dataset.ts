import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runHosted } from './command-host.ts'
import { exits } from './exits.ts'
import { makeFolder } from './folder.ts'

/** A new folder with these events in the service's own form, and the dataset that transform makes of them. */
export async function madeDataset(events: readonly object[], folder = makeFolder()) {
  const [raw, dataset] = [join(folder, 'raw.ndjson'), join(folder, 'events')]
  writeFileSync(raw, events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  await exits(0, runHosted(['transform', '--preset', 'posthog', '--in', raw, '--out', dataset]))
  return { folder, raw, dataset }
}
