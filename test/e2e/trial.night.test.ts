import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli } from '../helpers/cli-process.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { peopleHistory } from '../helpers/people-history.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'
import { readSoundDataset } from '../helpers/sound-dataset.ts'
import { expectWholePeople } from '../helpers/trial-oracle.ts'

test('of 300,000 records, 500 people are chosen with all that is theirs, imported into a project and verified', async () => {
  const folder = testFolder()
  const raw = join(folder, 'raw.ndjson')
  const records = peopleHistory(seeded(seedOf('large history')), 17_000)
  expect(records.length).toBeGreaterThan(300_000)
  writeFileSync(raw, `${records.join('\n')}\n`)
  const [whole, trial] = [join(folder, 'whole'), join(folder, 'trial')]
  for (const more of [[whole], [trial, '--people', '500']]) {
    await exits(0, runCli(['transform', '--preset', 'posthog', '--in', raw, '--out', ...more]))
  }
  const [all, few] = [readSoundDataset(whole), readSoundDataset(trial)]
  const ids = { trial: few.manifest.import_ids![0]!, whole: all.manifest.import_ids![0]! }
  const people = expectWholePeople({ trial: few.lines, whole: all.lines, ids })
  expect(people.size).toBe(500)

  const sandbox = await testSandbox()
  const fast = ['--approved', '--max-events-per-minute', '100000000', '--verify']
  await exits(0, runCli(['import', '--dataset', trial, '--trial', 'Sandbox', ...fast], sandboxEnv(sandbox)))
  await exits(0, runCli(['verify', trial], sandboxEnv(sandbox)))
})
