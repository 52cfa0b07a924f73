import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli, signalWhen, startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { byDay } from '../helpers/kills.ts'
import { unfolded } from '../helpers/unfolded.ts'

test('the demo goes the whole way, also where it was interrupted, says so briefly, and leaves what it made', async () => {
  const folder = join(testFolder(), 'demo')
  const argv = ['demo', '--events', '300', '--dir', folder]
  for (const step of byDay(['3. posthaul import', 'a made-up Mixpanel'], 2)) {
    const demo = startCli(argv)
    const { code, stdout, stderr } = await signalWhen(demo, 'SIGINT', () => demo.printed().includes(step))
    expect(stdout).toContain(step)
    expect([step, code]).toEqual([step, 130])
    expect(unfolded(stderr)).toContain('the demo was interrupted')
    expect(stderr).not.toContain('␊')
    expect(stderr).toContain(`then: posthaul ${argv.join(' ')}\n`)
  }
  const { code, stdout, stderr } = await runCli(argv)
  expect(stderr).toBe('')
  expect(code).toBe(0)
  const lines = stdout.trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(28)
  // Only lines that hold the folder's path may be longer than a terminal.
  for (const line of lines.filter((text) => !text.includes(folder)))
    expect(line.length).toBeLessThanOrEqual(80)

  const sum =
    /read (\S+) = \w+ (\S+) \+ rejected (\S+)\s+\+ filtered (\S+) \+ duplicate (\S+) \+ pending (\S+)/g
  const sums = [...stdout.matchAll(sum)].map((found) =>
    found.slice(1).map((text) => Number(text.replaceAll(',', ''))),
  )
  expect(sums).toHaveLength(2)
  for (const [read, ...others] of sums) expect(others.reduce((all, n) => all + n, 0)).toBe(read)
  expect(stdout).toContain('verify: equal')
  // What belongs to the demo is told before the steps that do not.
  const [left, next] = stdout.split('has stopped')[1]!.split('Next, with an export of your own:')
  expect(left).toContain(`${folder}\n`)
  expect(left).toContain(join(folder, 'events', 'rejects.ndjson'))
  expect(left).toContain('delete it')
  expect(next).not.toContain(folder)
  const rejects = readFileSync(join(folder, 'events', 'rejects.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
  expect(rejects.map((line) => (JSON.parse(line) as { reason: string }).reason).sort()).toEqual(
    'bad_json bad_json distinct_id_missing event_missing timestamp_unparsable'.split(' '),
  )
  // What is finished is kept.
  await exits(2, runHosted(argv), 'is not empty')
})
