import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { peopleHistory } from '../helpers/people-history.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'
import { stateHome } from '../helpers/state-home.ts'
import { unfolded } from '../helpers/unfolded.ts'

/*
 * A trial goes to a project that is there for it, the whole to another, and neither by mistake to the other's.
 */
const FAST = ['--approved', '--max-events-per-minute', '100000000']
const TRIAL = ['--trial', 'Sandbox']

/** A whole dataset and a trial of it, and commands for a project. */
async function begin(name: string, people: number, chosen: number) {
  const folder = testFolder()
  const raw = join(folder, 'raw.ndjson')
  writeFileSync(raw, `${peopleHistory(seeded(seedOf(name)), people).join('\n')}\n`)
  const state = stateHome()
  const run = async (sandbox: Sandbox | undefined, ...argv: string[]) => {
    const ran = await runHosted(argv, { ...(sandbox && sandboxEnv(sandbox)), ...state }, folder)
    return { ...ran, said: unfolded(ran.stderr) }
  }
  const transform = ['transform', '--preset', 'posthog', '--in', raw, '--out']
  for (const argv of [
    [...transform, 'whole'],
    [...transform, 'trial', '--people', String(chosen)],
  ]) {
    await exits(0, run(undefined, ...argv))
  }
  const send = (sandbox: Sandbox, dataset: string, ...more: string[]) =>
    run(sandbox, 'import', '--dataset', dataset, ...FAST, ...more)
  return { folder, run, send }
}

test('a trial is imported into a second project and verified, and the whole into the first', async () => {
  const [first, second] = [await testSandbox(), await testSandbox()]
  const { folder, run, send } = await begin('trial into a second project', 30, 3)
  const checked = await run(second, 'check', 'trial')
  expect(unfolded(checked.stdout)).toContain("posthaul import --dataset trial --trial '<project>'")
  await exits(0, send(second, 'trial', ...TRIAL, '--verify', '--json'))
  await exits(0, run(second, 'verify', 'trial'))
  const reported = async (...datasets: string[]) => {
    const ran = await exits(0, run(undefined, 'report', ...datasets, '--out', 'soon.html', '--json'))
    return JSON.parse(ran.stdout)
  }
  const written = (name: string) =>
    JSON.parse(readFileSync(join(folder, name, 'manifest.json'), 'utf8')).events.written
  // What was not sent yet is no alarm, and the figures are those of the trial.
  const early = await reported('trial', 'whole')
  expect([early.equal, early.verdict]).toEqual([
    true,
    expect.stringMatching(
      /^All [\d,]+ events are in PostHog, exactly\..* about trial\. Not sent yet: whole\.$/,
    ),
  ])
  expect(early.missing[0]).toContain('no import of whole was found: it is not sent yet')
  const soon = readFileSync(join(folder, 'soon.html'), 'utf8')
  expect(soon.replace(/<[^>]*>/g, ' ')).toMatch(
    new RegExp(`Events made\\s+${written('trial').toLocaleString('en-US')}\\s`),
  )
  expect(soon).not.toContain('does not hold the same events')
  expect(await reported('whole')).toMatchObject({
    equal: null,
    verdict: expect.stringContaining('no import of them was found'),
  })
  await exits(0, send(first, 'whole', '--verify'))
  const persons = 'SELECT count() FROM persons WHERE is_identified'
  const [few, all] = [await second.query(persons), await first.query(persons)]
  expect(Number(few.results[0]![0])).toBeLessThan(Number(all.results[0]![0]) / 5)
  // Both were sent, each to its project: the whole has a proof of its own.
  const late = await reported('trial', 'whole')
  expect([late.equal, late.verdict]).toEqual([
    true,
    expect.stringContaining('about whole. Not compared here: trial.'),
  ])
  await exits(0, run(undefined, 'report', 'trial', 'whole', '--out', 'report.html'))
  const manifest = JSON.parse(readFileSync(join(folder, 'whole', 'manifest.json'), 'utf8'))
  const page = readFileSync(join(folder, 'report.html'), 'utf8')
  expect(page).toContain(`3 people, of ${manifest.events.written.toLocaleString('en-US')} events in all`)
  // The same command, once it is at its end, sends nothing and asks nothing.
  await exits(0, send(second, 'trial', ...TRIAL))
})

test('nothing of a trial is sent by mistake, nor of a whole as a trial', async () => {
  const sandbox = await testSandbox()
  const { run, send } = await begin('refused trials', 20, 2)
  const refusals: [string, string[], string][] = [
    ['trial', [], 'trial is a trial, of 2 people'],
    ['trial', ['--dry-run'], 'trial is a trial, of 2 people'],
    ['whole', TRIAL, '--trial: whole is not a trial'],
    ['trial', ['--trial', 'Shop'], 'the project is not "Shop"; nothing was sent'],
  ]
  for (const [dataset, more, says] of refusals) {
    const { code, said } = await send(sandbox, dataset, ...more)
    expect([code, said]).toEqual([2, expect.stringContaining(says)])
  }
  expect(sandbox.stats().events).toBe(0)
  await exits(0, run(sandbox, 'import', '--dataset', 'trial', ...TRIAL, '--dry-run'))
})

test('a project with events of the whole takes no trial, and one with a trial takes no whole', async () => {
  const [first, second] = [await testSandbox(), await testSandbox()]
  const { send } = await begin('apart', 20, 2)
  await exits(0, send(first, 'whole'))
  const there = await send(first, 'trial', ...TRIAL)
  expect([there.code, there.said]).toEqual([
    3,
    expect.stringMatching(/the project Sandbox holds [\d,]+ events of the whole/),
  ])

  await exits(0, send(second, 'trial', ...TRIAL))
  const beside = await send(second, 'whole', '--checkpoint', 'other.checkpoint.json')
  expect([beside.code, beside.said]).toEqual([
    3,
    expect.stringMatching(/-trial\).*would merge with what is there/),
  ])
  expect(beside.said).toContain('a trial of these events')
  await exits(0, send(second, 'whole', '--checkpoint', 'other.checkpoint.json', '--accept', 'other_imports'))
})
