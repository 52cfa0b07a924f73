import { appendFileSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { EXIT } from '../../src/errors.ts'
import { type Ran, runCommand } from '../helpers/command.ts'
import { writeDataset } from '../helpers/dataset.ts'
import { makeEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { Service } from './kit/service.ts'

const PART = '2024-01-02.ndjson'

/** Changes the text of a dataset's manifest. */
function manifest(change: (text: string) => string): (folder: string) => void {
  return (folder) => {
    const path = join(folder, 'manifest.json')
    writeFileSync(path, change(readFileSync(path, 'utf8')))
  }
}

const part = (change: (path: string) => void) => (folder: string) => change(join(folder, PART))

/** What was done to a dataset of three days after it was made. */
const HOSTILE: Readonly<Record<string, (folder: string) => void>> = {
  'a part that leads out': manifest((text) => text.replaceAll(PART, '../outside.ndjson')),
  'a part with an absolute name': manifest((text) => text.replaceAll(PART, '/etc/hostname')),
  'a part named __proto__': manifest((text) => text.replaceAll(PART, '__proto__')),
  'a manifest that is cut': manifest((text) => text.slice(0, text.length >>> 1)),
  'an empty manifest': manifest(() => ''),
  'a manifest of NULs': manifest((text) => '\0'.repeat(text.length)),
  'a manifest that is nested without end': manifest(() => '{"a":'.repeat(1e6)),
  'a manifest of 50 MB': manifest((text) => text.replace('{', `{"pad":"${'x'.repeat(5e7)}",`).slice(0, -9)),
  'a manifest of a later version': manifest((text) => text.replace(/"version": ?\d+/, '"version": 99')),
  'counts that are texts': manifest((text) => text.replaceAll(/"events": ?(\d+)/g, '"events": "$1"')),
  'counts below zero': manifest((text) => text.replaceAll(/"bytes": ?(\d+)/g, '"bytes": -$1')),
  'a part with a wrong bit': part((path) => {
    const bytes = readFileSync(path)
    bytes[bytes.length >>> 1]! ^= 1
    writeFileSync(path, bytes)
  }),
  'a part that is cut': part((path) => truncateSync(path, 100)),
  'a part that grew': part((path) => appendFileSync(path, 'more\n')),
  'a part that is gone': part((path) => rmSync(path)),
}

async function dataset(): Promise<string> {
  const folder = join(testFolder(), 'events')
  const day = (n: number) => Array.from({ length: 20 }, (_, i) => makeEvent(20 * n + i, { day: n + 1 }))
  await writeDataset(folder, [
    { file: '2024-01-01.ndjson', events: day(0) },
    { file: PART, events: day(1) },
    { file: '2024-01-03.ndjson', events: day(2) },
  ])
  writeFileSync(join(dirname(folder), 'outside.ndjson'), readFileSync(join(folder, PART)))
  return folder
}

const ROWS = Object.entries(HOSTILE).slice(0, kills({ few: 1, many: 99 }))

test.each(ROWS)('%s: it is said, and nothing of it is sent', async (name, spoil) => {
  const folder = await dataset()
  spoil(folder)
  const service = await Service.start()
  const env = { POSTHOG_PROJECT_API_KEY: 'phc_faults', POSTHOG_INGEST_HOST: service.url }
  const lifted = ['--approved', '--max-events-per-minute', '100000000']
  const ran: Record<string, Ran> = {
    check: await runCommand(['check', folder]),
    import: await runCommand(['import', '--dataset', folder, ...lifted], { env }),
  }
  for (const [command, { code, stderr }] of Object.entries(ran)) {
    expect(code, `${command}: ${stderr}`).toBeOneOf([EXIT.usage, EXIT.mismatch])
    expect(stderr, command).toMatch(/manifest\.json|\.ndjson|__proto__|hostname/)
  }
  // Whole days before the bad part may go out; no event of the bad part or from outside does.
  const sent = service.requests.flatMap(({ events }) => events.map(({ uuid }) => uuid))
  const first = new Set(Array.from({ length: 20 }, (_, n) => makeEvent(n).uuid))
  expect(
    sent.filter((uuid) => !first.has(uuid)),
    name,
  ).toEqual([])
})

test('a part that is a link out of the folder is not taken for the part', async () => {
  const folder = await dataset()
  const outside = join(testFolder(), 'outside.ndjson')
  writeFileSync(outside, `${readFileSync(join(folder, PART), 'utf8')}{"event":"from outside"}\n`)
  rmSync(join(folder, PART))
  symlinkSync(outside, join(folder, PART))
  const { code, stderr } = await runCommand(['check', folder])
  expect(code, stderr).toBeOneOf([EXIT.usage, EXIT.mismatch])
})
