import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { fileSandbox, sandboxEnv } from '../helpers/sandbox-env.ts'

const sandbox = await fileSandbox()

test('files that were never transformed are checked, imported and verified', async () => {
  const folder = testFolder()
  const days = [1, 2].map((day) => {
    const events = Array.from({ length: 40 }, (_, n) => makeEvent(n + 1000 * day, { day }))
    const path = join(folder, `day-${day}.ndjson`)
    // The first event is there twice, and one line is no event.
    const lines = [...events, events[0]!].map(eventLine)
    writeFileSync(
      path,
      `${[...lines, '{"event":"$performance_event","distinct_id":"u","timestamp":"2024-01-01T00:00:00Z"}', 'broken'].join('\n')}\n`,
    )
    return path
  })
  const env = sandboxEnv(sandbox)
  const checked = await runHosted(['check', '--file', ...days, '--json'])
  expect(JSON.parse(checked.stdout)).toMatchObject({
    events: 82,
    parts: 2,
    days: 2,
    problems: [{ code: 'rejects', count: 2 }],
  })
  const shown = await runHosted(['check', '--file', join(folder, '*.ndjson')])
  expect(shown.stdout).toContain(`Then: posthaul import --file '${join(folder, '*.ndjson')}'`)
  const before = await runHosted(['verify', '--file', ...days, '--json'], env)
  expect([before.code, JSON.parse(before.stdout)]).toMatchObject([
    3,
    { equal: false, events: { here: 80, service: 0 } },
  ])
  const fast = ['--approved', '--max-events-per-minute', '100000000']
  await exits(3, runHosted(['import', '--file', ...days, ...fast], env))
  const after = await runHosted(['verify', '--file', ...days, '--json'], env)
  expect([after.code, JSON.parse(after.stdout)]).toMatchObject([
    0,
    { equal: true, datasets: days, events: { here: 80, service: 80 } },
  ])
})
