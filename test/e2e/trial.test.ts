import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { signalWhen, startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { datasetFiles } from '../helpers/dataset-files.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { writeCalls } from '../helpers/histories.ts'
import { peopleHistory } from '../helpers/people-history.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { type ReadDataset, readSoundDataset } from '../helpers/sound-dataset.ts'
import { expectLastDays, expectWholePeople } from '../helpers/trial-oracle.ts'
import { unfolded } from '../helpers/unfolded.ts'

/*
 * A trial beside the whole, made by the command and judged by an oracle that knows nothing of src.
 */

function historyIn(folder: string, name: string, people: number): string {
  const path = join(folder, 'raw.ndjson')
  const lines = peopleHistory(seeded(seedOf(name)), people)
  writeFileSync(path, `${lines.join('\n')}\n{"broken\n`)
  return path
}

/** `more` may name another preset, first of all. */
async function made(input: string, out: string, ...more: string[]) {
  const preset = more[0] === '--preset' ? [] : ['--preset', 'posthog']
  const ran = await runHosted(['transform', ...preset, ...more, '--in', input, '--out', out, '--json'])
  expect([0, 3], ran.stderr).toContain(ran.code)
  return { ...readSoundDataset(out), result: JSON.parse(ran.stdout) }
}

const idsOf = (trial: ReadDataset, whole: ReadDataset) => ({
  trial: trial.manifest.import_ids![0]!,
  whole: whole.manifest.import_ids![0]!,
})

test('a trial of people has all of theirs, byte for byte but for the mark, and every record is counted', async () => {
  const folder = testFolder()
  const input = historyIn(folder, 'trial of people', 120)
  const whole = await made(input, join(folder, 'whole'))
  const trial = await made(input, join(folder, 'trial'), '--people', '12')
  const ids = idsOf(trial, whole)
  expect(ids.trial).toBe(`${ids.whole}-trial`)
  const people = expectWholePeople({ trial: trial.lines, whole: whole.lines, ids })
  expect(people.size).toBe(12)

  const { records, filtered, trial: said } = trial.manifest
  expect(said).toEqual({
    by: 'people',
    most: 12,
    people: 12,
    whole_import_id: ids.whole,
    whole_events: whole.lines.length,
  })
  expect(records.read).toBe(whole.manifest.records.read)
  expect([trial.rejects.length, whole.rejects.length]).toEqual([1, 1])
  expect(filtered).toEqual({ not_in_trial: whole.lines.length - trial.lines.length })
  expect(trial.result.trial).toEqual({ people: 12, whole_events: whole.lines.length })
  expect(trial.result.counts).toMatchObject({ read: whole.lines.length + 1, written: trial.lines.length })
})

test('the choice is of the same people however large the trial is', async () => {
  const folder = testFolder()
  const input = historyIn(folder, 'same people', 90)
  const [few, many] = [
    await made(input, join(folder, 'few'), '--people', '6'),
    await made(input, join(folder, 'many'), '--people', '18', '--gzip', '--workers', '1'),
  ]
  const all = new Set(many.lines)
  expect(few.lines.filter((line) => !all.has(line))).toEqual([])
})

test('a trial of days has the last ones whole, and what links and describes their people', async () => {
  const folder = testFolder()
  const input = historyIn(folder, 'trial of days', 60)
  const whole = await made(input, join(folder, 'whole'))
  const trial = await made(input, join(folder, 'trial'), '--days', '3')
  expectLastDays({ trial: trial.lines, whole: whole.lines, ids: idsOf(trial, whole) }, 3)
  expect(trial.manifest.trial).toMatchObject({ by: 'days', most: 3 })
})

test('links and changes of groups that transform makes itself come along', async () => {
  const folder = testFolder()
  writeCalls(join(folder, 'raw'), seedOf('trial of calls'))
  const of = async (out: string, ...more: string[]) =>
    made(join(folder, 'raw'), join(folder, out), '--preset', 'segment', ...more)
  const [whole, trial] = [await of('whole'), await of('trial', '--people', '5')]
  const names = new Set(trial.lines.map((line) => JSON.parse(line).event))
  expect([...names]).toEqual(expect.arrayContaining(['$identify', '$groupidentify']))
  const people = expectWholePeople({ trial: trial.lines, whole: whole.lines, ids: idsOf(trial, whole) })
  expect(people.size).toBe(5)
  expect(trial.manifest.events.generated).toBeGreaterThan(0)
  expect(trial.manifest.filtered.not_in_trial! + trial.manifest.records.mapped).toBe(
    whole.manifest.records.mapped,
  )
  expect(readdirSync(join(folder, 'trial'))).not.toContain('.posthaul-transform')
  const linked = linesIn(join(folder, 'trial', 'links.ndjson')).flatMap(({ anonymous }) => anonymous ?? [])
  const said = trial.lines.flatMap((line) => JSON.parse(line).properties.$anon_distinct_id ?? [])
  expect(linked.length).toBeGreaterThan(0)
  expect(linked.sort()).toEqual(said.sort())
})

function linesIn(path: string) {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('killed while it copies, the same command carries on to the same bytes', async () => {
  const folder = testFolder()
  const input = historyIn(folder, 'killed trial', 100)
  const argv = ['transform', '--preset', 'posthog', '--in', input, '--people', '30', '--gzip', '--out']
  const [once, killed] = [join(folder, 'once'), join(folder, 'killed')]
  await exits(3, runHosted([...argv, once]))
  for (const mark of ['2024-01-01.ndjson.gz', 'arrival.ndjson'])
    await signalWhen(startCli([...argv, killed]), 'SIGKILL', () => existsSync(join(killed, mark)))
  await exits(3, runHosted([...argv, killed]))
  expect(datasetFiles(killed)).toEqual(datasetFiles(once))
})

const refused: readonly (readonly [string[], string])[] = [
  [['--people', '5', '--days', '2'], '--people and --days are given together'],
  [['--people', '5', '--dry-run'], '--people and --dry-run are given together'],
  [['--people', '5', '--import-id', 'none'], '--people and --import-id none are given together'],
  [['--people', '5', '--after', 'trial'], '--people and --after are given together'],
  [['--after', 'trial'], '--after trial is a trial'],
  [[], 'trial holds a trial (people 5)'],
]

test("what does not go together is refused, and a trial stands in nobody's place", async () => {
  const folder = testFolder()
  const input = historyIn(folder, 'refusals', 60)
  const [whole, trial] = [join(folder, 'whole'), join(folder, 'trial')]
  await made(input, whole)
  await made(input, trial, '--people', '5')
  const argv = ['transform', '--preset', 'posthog', '--in', input, '--out']
  for (const [more, says] of refused) {
    const words = more.map((word) => (word === 'trial' ? trial : word))
    const ran = await runHosted([...argv, more.length > 0 ? join(folder, 'other') : trial, ...words])
    expect([ran.code, unfolded(ran.stderr).replaceAll(trial, 'trial')]).toEqual([
      2,
      expect.stringContaining(says),
    ])
  }
  await exits(2, runHosted([...argv, whole, '--people', '5']), 'a dataset that is not a trial')
  await made(input, trial, '--people', '9')
})
