import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { STAGES } from '../../../src/text/fleet-stages.ts'
import { runHosted } from '../../helpers/command-host.ts'
import { datasetIn } from '../../helpers/fleet.ts'
import { testFolder } from '../../helpers/folder.ts'
import { seeded } from '../../helpers/random.ts'
import { seedOf } from '../../helpers/seed.ts'

const roll = seeded(seedOf('fleet windows'))
const pick = (most: number) => Math.floor(roll() * most)
const START = Date.UTC(2024, 5, 1)
const at = (millis: number) => new Date(millis).toISOString().replace('T', ' ').replace('Z', '000')

/** Page views of Heap; a user's identity and a session's start are in tables of their own. */
function pageviews(from: number, count: number): string {
  const rows = Array.from({ length: count }, (_, n) => ({
    $table: 'pageviews',
    event_id: from + n,
    user_id: pick(40),
    session_id: pick(90),
    time: at(START + 3_600_000 + (from + n) * 60_000 + pick(50_000)),
    library: 'web',
    platform: 'Mac OS X 10.15.7',
    domain: 'shop.example.com',
    path: `/${pick(9)}`,
  }))
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

async function run(...words: string[]): Promise<void> {
  const { code, stderr } = await runHosted(words)
  expect(code, `${words.join(' ')}\n${stderr}`).toBe(0)
}

test('a fleet joins tables, and leaves out what the window before has, as one machine does', async () => {
  const folder = testFolder()
  const [raw, work, first] = [join(folder, 'raw'), join(folder, 'work'), join(folder, 'first')]
  mkdirSync(raw)
  mkdirSync(work)
  for (const file of [0, 1, 2]) writeFileSync(join(raw, `views-${file}.ndjson`), pageviews(file * 400, 400))
  const users = Array.from({ length: 40 }, (_, user) => `${user},person-${user % 30}@example.com`)
  writeFileSync(join(folder, 'people.csv'), `user_id,identity\n${users.join('\n')}\n`)
  const sessions = Array.from({ length: 90 }, (_, session) => `${session},${at(START + session * 1000)}`)
  writeFileSync(join(folder, 'visits.csv'), `session_id,time\n${sessions.join('\n')}\n`)
  const tables = ['users=people.csv', 'sessions=visits.csv'].flatMap((table) => {
    const [name, file] = table.split('=') as [string, string]
    return ['--join', `${name}=${join(folder, file)}`]
  })
  const views = (...files: number[]) => files.flatMap((file) => ['--in', join(raw, `views-${file}.ndjson`)])
  const window = ['--preset', 'heap', ...tables]
  await run('transform', ...window, ...views(0, 1), '--out', first)
  const second = [...window, ...views(1, 2), '--after', first]
  await run('transform', ...second, '--out', join(folder, 'local'))
  const local = datasetIn(join(folder, 'local'))
  const { events, names, members } = JSON.parse(local['manifest.json']!)
  expect([events.written, events.earlier, names]).toEqual([400, 400, { $pageview: 400 }])
  expect(members['joined_user.identity']).toEqual({ 'used: distinct_id': 800 })

  const out = join(folder, 'fleet')
  await run('fleet', 'plan', ...second, '--out', out, '--tasks', '2')
  for (const stage of STAGES)
    for (const index of ['0', '1'])
      await run('fleet', 'run', stage, '--out', out, '--index', index, '--work-dir', work)
  await run('fleet', 'finish', '--out', out)
  expect(datasetIn(out)).toEqual(local)
})
