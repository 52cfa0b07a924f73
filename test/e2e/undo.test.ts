import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { UNDO_RECORD } from '../../src/imports/undo-record.ts'
import { FILE_IMPORT_ID } from '../../src/record/uuid.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { suffering } from '../faults/kit/plan.ts'
import { startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { edited } from '../helpers/edited.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'
import { stateHome } from '../helpers/state-home.ts'
import { unfolded } from '../helpers/unfolded.ts'

const FAST = ['--approved', '--max-events-per-minute', '100000000', '--accept', 'project_unasked']

// Each test has a service of its own: one would let all of them ask no more than 240 queries a minute.
let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await testSandbox()
})

/** A dataset with an id of its own, and commands in its folder. */
async function begin(id: string) {
  const folder = testFolder()
  const env = { ...sandboxEnv(sandbox), ...stateHome() }
  const run = (...argv: string[]) => runHosted(argv, env, folder)
  const records = Array.from({ length: 30 }, (_, n) => ({
    event: n % 2 ? 'visit' : 'buy',
    properties: { time: 1_709_300_000 + n * 3600, distinct_id: `u${n % 5}`, $insert_id: `${id}${n}`, n },
  }))
  writeFileSync(join(folder, 'raw.ndjson'), records.map((one) => `${JSON.stringify(one)}\n`).join(''))
  await exits(
    0,
    run('transform', '--preset', 'mixpanel', '--import-id', id, '--in', 'raw.ndjson', '--out', 'events'),
  )
  return {
    folder,
    env,
    run,
    send: (...more: string[]) => run('import', '--dataset', 'events', ...FAST, ...more),
  }
}

async function admin(order: object): Promise<void> {
  const headers = { authorization: `Bearer ${sandbox.personalKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify(order)
  const answer = await fetch(`${sandbox.url}/_sandbox`, { method: 'POST', headers, body })
  expect(answer.status).toBe(200)
}

/** Files a request as a person can. */
async function file(submission_id: string, query: string): Promise<void> {
  const headers = { authorization: `Bearer ${sandbox.personalKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ query, variables: {}, submission_id })
  const path = `${sandbox.url}/api/projects/1/data_deletion_requests/`
  expect((await fetch(path, { method: 'POST', headers, body })).status).toBe(201)
}

async function requests(): Promise<{ submission_id: string; query: string; status: string }[]> {
  const headers = { authorization: `Bearer ${sandbox.personalKey}` }
  const answer = await fetch(`${sandbox.url}/api/projects/1/data_deletion_requests/`, { headers })
  return ((await answer.json()) as { results: { submission_id: string; query: string; status: string }[] })
    .results
}

test('an import is taken back, kept away meanwhile, and sent anew', async () => {
  const { run, send } = await begin('whole')
  await exits(0, send())

  const looked = await run('undo', 'events')
  expect([looked.code, unfolded(looked.stdout)]).toEqual([
    0,
    expect.stringContaining('30 events of this import in project 1'),
  ])
  expect(looked.stdout).toContain('SELECT uuid FROM events WHERE')
  expect(await requests()).toEqual([])

  await exits(2, run('undo', 'events', '--request', 'Other'))
  expect(await requests()).toEqual([])

  const filed = await run('undo', 'events', '--request', 'Sandbox', '--json')
  expect([filed.code, filed.stderr]).toEqual([0, ''])
  expect(JSON.parse(filed.stdout)).toMatchObject({
    events: 30,
    others: 0,
    request: { status: 'pending', left: null },
  })
  // A second order files nothing.
  await exits(0, run('undo', 'events', '--request', 'Sandbox'))
  expect(await requests()).toHaveLength(1)

  await exits(6, send('--restart'), 'posthaul undo --dataset events --status')
  await exits(5, run('undo', 'events', '--status'))

  for (const deletions of ['approve', 'queue', 'delete']) await admin({ deletions })
  const done = await run('undo', 'events', '--status')
  expect([done.code, unfolded(done.stdout)]).toEqual([
    0,
    expect.stringContaining('import them anew with --restart'),
  ])

  await exits(6, send(), '--restart')
  await exits(0, send('--restart'))
  const anew = (await exits(0, run('undo', 'events', '--status'))).stdout
  expect(unfolded(anew)).toContain('it left none: these events were sent after it')
  const verified = await run('verify', 'events')
  expect([verified.code, verified.stdout]).toEqual([0, ''])
})

test('a request whose answer is lost is filed once', async () => {
  const { folder, run, send } = await begin('lost')
  await exits(0, send())
  await admin({ faults: ['lost:on=deletion,times=2'] })
  await exits(0, run('undo', 'events', '--request', 'Sandbox'))
  const all = await requests()
  expect(all).toHaveLength(1)
  const record = JSON.parse(readFileSync(join(folder, 'events.undo.json'), 'utf8'))
  expect(record.requests).toMatchObject([{ submission_id: all[0]!.submission_id, status: 'pending' }])
  await admin({ faults: [], deletions: 'fail' })
  await exits(3, run('undo', 'events', '--status'))
  await exits(0, send('--restart'))
})

test('requests at once, by a dataset and by its id, and one that a person files, are one', async () => {
  const { folder, run, send } = await begin('at-once')
  await exits(0, send())
  const by = [['events'], ['--import-id', 'at-once'], ['events'], ['--import-id', 'at-once']]
  const ends = await Promise.all(by.map((what) => run('undo', ...what, '--request', 'Sandbox')))
  // 7: another run has the dataset.
  for (const { code, stderr } of ends) expect([0, 7], stderr).toContain(code)
  expect(await requests()).toHaveLength(1)
  await admin({ deletions: 'fail' })
  await exits(3, run('undo', 'events', '--status'))

  // Whoever has the query can file it, with an id of submission that nobody here knows.
  const { query } = JSON.parse((await run('undo', 'events', '--json')).stdout)
  const submission_id = '00000000-0000-4000-8000-00000000beef'
  await file(submission_id, query)
  const adopted = await run('undo', 'events', '--request', 'Sandbox', '--json')
  expect(JSON.parse(adopted.stdout).request).toMatchObject({ submission_id, status: 'pending' })
  expect(await requests()).toHaveLength(2)

  // A record with two requests, of which nobody follows the first: both are followed, and the import comes in again.
  const path = join(folder, 'events.undo.json')
  const record = JSON.parse(readFileSync(path, 'utf8'))
  const [theirs] = record.requests.slice(-1)
  const unseen = { ...theirs, submission_id: '00000000-0000-4000-8000-00000000cafe', id: 'x' }
  writeFileSync(
    path,
    edited(UNDO_RECORD, readFileSync(path), ({ requests }) => ({ requests: [unseen, ...requests] })),
  )
  await admin({ deletions: 'fail' })
  for (const exit of [3, 3]) expect((await run('undo', 'events', '--status')).code).toBe(exit)
  await exits(0, send('--restart'))
})

test('a refusal leaves no request of ours; one that an earlier run may have sent stays', async () => {
  const { folder, run, send } = await begin('refused')
  await exits(0, send())
  const taken = (n: number) => `00000000-0000-4000-8000-00000000000${n}`
  // A project has five at work at most.
  for (const n of [1, 2, 3, 4, 5]) await file(taken(n), `SELECT uuid FROM events WHERE event = '${n}'`)
  await exits(5, run('undo', 'events', '--request', 'Sandbox'), 'maximum number of active')
  const path = join(folder, 'events.undo.json')
  const record = JSON.parse(readFileSync(path, 'utf8'))
  expect(record.requests).toEqual([])
  await exits(0, send('--restart'))

  await admin({ deletions: 'fail' })
  await exits(0, run('undo', 'events', '--request', 'Sandbox'))
  const filed = JSON.parse(readFileSync(path, 'utf8')).requests
  // Its id belongs to another query there: the service refuses what was on its way.
  const sending = { ...filed[0], submission_id: taken(1), id: null, status: 'sending' }
  await admin({ deletions: 'fail' })
  await exits(3, run('undo', 'events', '--status'))
  writeFileSync(
    path,
    edited(UNDO_RECORD, readFileSync(path), () => ({ requests: [sending] })),
  )
  await exits(5, run('undo', 'events', '--request', 'Sandbox'))
  expect(JSON.parse(readFileSync(path, 'utf8')).requests).toEqual([sending])
})

test('events of another import with the same id are not taken along', async () => {
  const { folder, run, send } = await begin('shared')
  await exits(0, send())
  const uuid = '00000000-0000-4000-8000-00000000abcd'
  const properties = { $import_job_id: 'shared' }
  const event = { uuid, event: 'visit', distinct_id: 'x', timestamp: '2024-03-01T20:00:00Z', properties }
  writeFileSync(join(folder, 'more.ndjson'), `${JSON.stringify(event)}\n`)
  await exits(0, run('import', '--file', 'more.ndjson', ...FAST))
  const asked = await run('undo', 'events', '--request', 'Sandbox', '--json')
  expect([asked.code, JSON.parse(asked.stdout)]).toEqual([
    3,
    expect.objectContaining({ events: 31, others: 1, request: null }),
  ])
  await exits(0, run('undo', '--import-id', 'shared', '--request', 'Sandbox'))
  await exits(6, send('--restart'))
})

test('an import of another project is not taken back here', async () => {
  const { folder, send } = await begin('elsewhere')
  await exits(0, send())
  const other = await testSandbox()
  const env = { ...sandboxEnv(other), ...stateHome() }
  await exits(
    6,
    runHosted(['undo', 'events', '--request', 'Sandbox'], env, folder),
    'imported into another project than 1 (Sandbox)',
  )
})

test('a migration whose events were deleted sends them anew only if it is told to', async () => {
  const { folder, env, run } = await begin('unused')
  const line = { uuid: '00000000-0000-4000-8000-0000000000aa', event: 'run', distinct_id: 'x' }
  writeFileSync(
    join(folder, 'in.ndjson'),
    `${JSON.stringify({ ...line, timestamp: '2024-05-01T20:00:00Z', properties: {} })}\n`,
  )
  writeFileSync(
    join(folder, 'migration.yaml'),
    `source: { files: [in.ndjson] }
mapping: { preset: posthog }
store: store
target: { host: "${sandbox.url}", project_id: ${sandbox.projectId} }
import: { arrival_wait: 0s }
verify: { wait: 0s }
`,
  )
  const stages = ({ stdout }: { stdout: string }) =>
    (JSON.parse(stdout).stages as { stage: string }[]).map(({ stage }) => stage)
  await exits(0, run('run', 'migration.yaml', '--json'))

  const dataset = ['store/events/files', '--state', 'store/state']
  await exits(0, run('undo', ...dataset, '--request', 'Sandbox'))
  const status = async (...more: string[]) => (await run('status', '--state', 'store/state', ...more)).stdout
  const pending = await status()
  expect(pending).toContain('being taken back')
  expect(unfolded(pending)).toContain('pending; PostHog approves it')
  expect(pending).toMatch(/then: posthaul undo --dataset \S+store\/events\/files --state \S+ --status/)
  await exits(6, run('run', 'migration.yaml', '--changed', 'resend'), 'being taken back')
  await exits(0, run('report', 'store/events/files', '--out', 'report.html', '--json'))
  expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('An import is being taken back.')
  for (const deletions of ['approve', 'queue', 'delete']) await admin({ deletions })
  await exits(0, run('undo', ...dataset, '--status'))
  expect(JSON.parse(await status('--json'))).toMatchObject({
    done: false,
    import_command: expect.stringContaining('--restart'),
    undo: { status: 'completed', left: 0 },
  })
  // Neither ledger has it as sent: a copy comes in, also where it has no --state.
  cpSync(join(folder, 'store/events/files'), join(folder, 'copy'), { recursive: true })
  await exits(0, run('import', '--dataset', 'copy', ...FAST))

  const planned = await run('run', 'migration.yaml', '--dry-run')
  expect(planned.stdout).toContain('its import is taken back')
  await exits(6, run('run', 'migration.yaml'), '--changed resend')
  // Killed once the import has begun anew, before it has sent anything: no one need say so twice.
  const kill = { point: 'rename', nth: 1, when: 'after' } as const
  const plan = suffering({ match: '.checkpoint.json.tmp', kill })
  const resend = ['run', 'migration.yaml', '--changed', 'resend']
  expect((await startCli(resend, { ...env, ...plan }, folder).ended).signal).toBe('SIGKILL')
  const again = await run('run', 'migration.yaml', '--json')
  expect([again.code, stages(again)], again.stderr).toEqual([0, ['import', 'verify']])
  expect(JSON.parse(await status('--json'))).toMatchObject({ done: true, undo: null })
  const nothing = await run('run', 'migration.yaml', '--json')
  expect([nothing.code, stages(nothing)]).toEqual([0, []])
})

test('files are taken back as they were imported', async () => {
  const { folder, run } = await begin('beside')
  const event = { uuid: '00000000-0000-4000-8000-0000000000bb', event: 'walk', distinct_id: 'x' }
  const line = JSON.stringify({ ...event, timestamp: '2024-07-01T20:00:00Z', properties: {} })
  writeFileSync(join(folder, 'walks.ndjson'), `${line}\n`)
  const send = (...more: string[]) => run('import', '--file', 'walks.ndjson', ...FAST, ...more)
  await exits(0, send())
  const filed = await run('undo', '--file', 'walks.ndjson', '--request', 'Sandbox', '--json')
  expect(JSON.parse(filed.stdout)).toMatchObject({ events: 1, others: 0, request: { status: 'pending' } })
  await exits(6, send(), 'undo --file walks.ndjson --status')
  for (const deletions of ['approve', 'queue', 'delete']) await admin({ deletions })
  await exits(0, run('undo', '--file', 'walks.ndjson', '--status'))
  const status = (await run('status', '--file', 'walks.ndjson')).stdout
  expect(status).toContain(`  id        ${FILE_IMPORT_ID}`)
  expect(status).toContain('walks.ndjson.checkpoint.json: taken back')
  await exits(0, send('--restart'))
})
