import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { fileSandbox, sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'
import { unfolded } from '../helpers/unfolded.ts'

// A dataset is made anew by other rules, once events of it were sent. What is in the service stays there for good.

const FAST = ['--max-events-per-minute', '1000000', '--approved']
const PLAIN = 'preset: mixpanel\n'
const RENAMED = 'preset: mixpanel\nevents:\n  rename: { signup: user_signed_up }\n'

const sandbox = await fileSandbox()

/** A place with raw records of two days, a mapping file and a state of its own. */
function place(people = 20) {
  const folder = testFolder()
  const lines = Array.from({ length: people }, (_, n) => {
    const time = 1_709_294_400 + n * 7200
    const event = n % 2 ? 'login' : 'signup'
    const properties = { time, distinct_id: `${folder}-${n}`, $insert_id: `${folder}-${n}`, plan: 'pro' }
    return JSON.stringify({ event, properties })
  })
  writeFileSync(join(folder, 'raw.ndjson'), `${lines.join('\n')}\n`)
  const env = { ...sandboxEnv(sandbox), XDG_STATE_HOME: join(folder, 'home') }
  const run = async (...argv: string[]) => {
    const { code, stdout, stderr } = await runHosted(argv, env, folder)
    return { code, stdout, text: unfolded(stderr) }
  }
  const transform = (mapping: string, ...more: string[]) => {
    writeFileSync(join(folder, 'm.yaml'), mapping)
    return run('transform', '--map', 'm.yaml', '--in', 'raw.ndjson', '--out', 'g1', ...more)
  }
  const send = (...more: string[]) => run('import', '--dataset', 'g1', ...FAST, ...more)
  const arrived = async () => {
    const sql = `SELECT count(), count(DISTINCT uuid) FROM events WHERE startsWith(distinct_id, '${folder}-')`
    return (await sandbox.query(sql)).results[0]
  }
  return { folder, env, run, transform, send, arrived }
}

test('a mapping that changes after the import is refused at each step, and nothing is there twice', async () => {
  const { run, transform, send, arrived } = place()
  await exits(0, transform(PLAIN))
  await exits(0, send())
  // The same rules make the same events: nobody is held up.
  await exits(0, transform(PLAIN))
  await exits(0, send(), /written\s+20/)

  const refused = await exits(3, transform(RENAMED))
  expect(refused.text).toContain('other rules made 20 events of g1 that were sent')
  await exits(0, transform(RENAMED, '--accept', 'rules_changed'))

  const checked = await run('check', 'g1')
  expect([checked.code, unfolded(checked.stdout)]).toEqual([
    3,
    expect.stringContaining('up to 10 would be there twice'),
  ])
  const verified = await exits(3, run('verify', 'g1'))
  expect(verified.text).toContain('the dataset is not what was sent')
  expect(verified.text).not.toMatch(/then: posthaul import/)
  expect(JSON.parse((await run('verify', 'g1', '--json')).stdout).sent_otherwise).toMatchObject({
    count: 10,
    names: expect.arrayContaining(['2024-03-01 signup']),
    text: expect.arrayContaining([expect.stringContaining('up to 10 would be there twice')]),
  })

  const stopped = await exits(3, send())
  expect(stopped.text).toContain('up to 10 would be there twice')
  expect(stopped.text).toContain('2024-03-01 signup')
  expect(stopped.text).toMatch(/take the change of the mapping back .*--restart --accept sent_otherwise/)
  await exits(3, send('--restart'))
  expect(await arrived()).toEqual([20, 20])

  // With the change taken back, it is the import that it was.
  await exits(3, transform(PLAIN))
  await exits(0, transform(PLAIN, '--accept', 'rules_changed'))
  await exits(0, send())
  expect(await arrived()).toEqual([20, 20])
})

test('who sends again is told how many will be there twice', async () => {
  const { transform, send, arrived } = place()
  await transform(PLAIN)
  await send()
  await transform(RENAMED, '--accept', 'rules_changed')
  const sent = await exits(0, send('--restart', '--accept', 'sent_otherwise', 'other_imports'))
  expect(sent.text).toContain('up to 10 would be there twice')
  expect(await arrived()).toEqual([30, 20])
})

test('another time zone is another time: the events would not merge', async () => {
  const { transform, send } = place()
  await transform(PLAIN)
  await send()
  await transform(`${PLAIN}source_timezone: Europe/Berlin\n`, '--accept', 'rules_changed')
  const refused = await exits(3, send())
  expect(refused.text).toContain('0 are the same now; up to 20 would be there twice')
})

test('a time zone that moves all events to the day before is stopped in another folder, too', async () => {
  const { folder, run } = place()
  const rows = Array.from({ length: 20 }, (_, n) => `bought,${folder}-${n},2024-05-02`)
  writeFileSync(join(folder, 'days.csv'), `event,distinct_id,timestamp\n${rows.join('\n')}\n`)
  const made = (out: string, zone: string) => {
    writeFileSync(
      join(folder, 'days.yaml'),
      `preset: events\ntime_format: YYYY-MM-DD\nsource_timezone: ${zone}\n`,
    )
    return exits(0, run('transform', '--map', 'days.yaml', '--in', 'days.csv', '--out', out))
  }
  await made('utc', 'UTC')
  await exits(0, run('import', '--dataset', 'utc', ...FAST))
  await made('vienna', 'Europe/Vienna')
  const refused = await exits(3, run('import', '--dataset', 'vienna', ...FAST))
  expect(refused.text).toContain('20 would be there twice, because their times differ')
})

test('a time that changes within its day is told from a property that changes', async () => {
  const { folder, transform, send } = place()
  await transform(PLAIN)
  await send()
  const path = join(folder, 'raw.ndjson')
  const raw = readFileSync(path, 'utf8')
  // The third of the first day's events, which is neither its first nor its last.
  writeFileSync(path, raw.replace('1709308800', '1709308801'))
  await transform(PLAIN, '--accept', 'rules_changed')
  const moved = await exits(3, send())
  expect(moved.text).toContain('up to 3 would be there twice because their times changed')
  writeFileSync(path, raw.replace('"plan":"pro"', '"plan":"max"'))
  await transform(PLAIN, '--accept', 'rules_changed')
  const bent = await send()
  expect(bent.text).toContain('up to 0 would be there twice')
  expect(bent.text).toContain('have other properties, and the same id, name, person and time: they merge')
})

test('what an import stopped in the middle has sent is compared up to there', async () => {
  const { transform, run, send } = place()
  await transform(PLAIN)
  await exits(5, run('import', '--dataset', 'g1', '--max-events', '5'))
  await transform(RENAMED, '--accept', 'rules_changed')
  const refused = await exits(3, send())
  expect(refused.text).toMatch(/of 6 events on the days that were sent/)
})

test('a dataset that was renamed or copied goes on where it was, or is counted twice knowingly', async () => {
  const { folder, transform, run, send } = place()
  await transform(PLAIN)
  await send()
  cpSync(join(folder, 'g1'), join(folder, 'copy'), { recursive: true })
  renameSync(join(folder, 'g1'), join(folder, 'renamed'))
  for (const name of ['copy', 'renamed']) {
    await exits(3, run('import', '--dataset', name, ...FAST), 'were sent before: 20 of them')
  }
  const [, checkpoint] = /add --checkpoint (\S+);/.exec(
    (await run('import', '--dataset', 'copy', ...FAST)).text,
  )!
  const before = sandbox.stats().events
  await exits(0, run('import', '--dataset', 'renamed', '--checkpoint', checkpoint!, ...FAST))
  expect(sandbox.stats().events).toBe(before)
  expect(
    (await run('import', '--dataset', 'copy', '--accept', 'sent_before', 'other_imports', ...FAST)).code,
  ).toBe(0)
  for (const generation of ['', '.previous']) rmSync(`${checkpoint}${generation}`)
  await exits(3, run('import', '--dataset', 'renamed', ...FAST), 'bring back what was moved')
})

test('a state that is kept elsewhere is found, also of a dataset that was made anew', async () => {
  const { transform, send, arrived } = place()
  await transform(PLAIN)
  await send()
  await transform(RENAMED, '--accept', 'rules_changed')
  await exits(
    3,
    send('--state', 'states'),
    'g1 is not what was sent: its import has sent 20 events of it as it was before',
  )
  expect(await arrived()).toEqual([20, 20])
})

test.each([[[]], [['--state', 'others']]])(
  'a state under --state is known to an import with %j',
  async (state) => {
    const { folder, env, transform, send, arrived } = place()
    Object.assign(env, { POSTHOG_PERSONAL_API_KEY: '' })
    await transform(PLAIN)
    await exits(0, send('--state', 'states'))
    await transform(RENAMED, '--accept', 'rules_changed', '--state', 'states')
    await exits(3, send(...state), 'of 20 events on the days that were sent, 0 are the same now')
    // A state that was moved away has said what it sent, too.
    renameSync(join(folder, 'states'), join(folder, 'moved'))
    await exits(3, send(...state), 'g1 is not what was sent: its import has sent 20 events of it')
    expect(await arrived()).toEqual([20, 20])
    // Into another project it goes as it is.
    Object.assign(env, sandboxEnv(await testSandbox()))
    await exits(0, send(...state))
  },
)

test('a transform into a dataset of which an import runs is refused, whatever is said', async () => {
  const { folder, env, transform } = place(400)
  await transform(PLAIN)
  const slowly = ['--max-events-per-minute', '60', '--batch-events', '10']
  const importing = startCli(['import', '--dataset', 'g1', ...slowly], env, folder)
  const lock = join(folder, 'g1.checkpoint.json.lock')
  await expect.poll(() => existsSync(lock)).toBe(true)
  const refused = await transform(RENAMED, '--accept', 'rules_changed')
  expect(refused).toMatchObject({ code: 7, text: expect.stringContaining('an import of g1 is under way') })
  importing.kill('SIGTERM')
  await exits(143, importing.ended)
})

test('without the record of what was sent nothing is promised', async () => {
  const { folder, transform, send } = place()
  await transform(PLAIN)
  await send()
  rmSync(join(folder, 'g1.sent.ndjson'))
  expect(readdirSync(folder)).not.toContain('g1.sent.ndjson')
  await transform(RENAMED, '--accept', 'rules_changed')
  await exits(3, send(), 'up to all of them would be there twice')
})
