import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { type CliProcess, startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { patience } from '../helpers/patience.ts'
import { fileSandbox } from '../helpers/sandbox-env.ts'
import { stateHome } from '../helpers/state-home.ts'
import { unfolded } from '../helpers/unfolded.ts'

/*
 * The caps are the project's: what several imports may do together, as processes against a sandbox.
 */
const sandbox = await fileSandbox()
beforeEach(() => sandbox.setFaults([]))

const env = () => ({ POSTHOG_PROJECT_API_KEY: sandbox.projectKey, POSTHOG_INGEST_HOST: sandbox.url })
const SLOW = ['--max-events-per-minute', '600']
const FAST = ['--approved', '--max-events-per-minute', '100000000']

function fileOf(count: number, name: string): string {
  const path = join(testFolder(), name)
  const lines = Array.from({ length: count }, (_, n) => eventLine(makeEvent(n)))
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

const start = (file: string, ...more: string[]) => startCli(['import', '--file', file, ...more], env())
const run = (file: string, ...more: string[]) => runHosted(['import', '--file', file, ...more], env())
const until = (check: () => void) => vi.waitFor(check, { timeout: patience(30_000), interval: 20 })

/** Starts an import that takes minutes. Resolves when the service has acknowledged something of it. */
async function startSlow(file: string, ...more: string[]): Promise<CliProcess> {
  const cli = start(file, ...SLOW, ...more)
  await until(() => expect(stateOf(file).counts.delivered).toBeGreaterThan(0))
  return cli
}

function stateOf(file: string) {
  return JSON.parse(readFileSync(`${file}.checkpoint.json`, 'utf8'))
}

async function kill(cli: CliProcess): Promise<void> {
  cli.kill('SIGKILL')
  await cli.ended
}

test('a second import ends with 7 and names the first; when that is killed, the next goes on at once', async () => {
  const first = fileOf(1000, 'first.ndjson')
  const cli = await startSlow(first)
  const second = await exits(7, run(fileOf(10, 'second.ndjson'), ...SLOW))
  const said = unfolded(second.stderr)
  expect(said).toMatch(/another import draws on the rate cap of this project \(process \d+ on .*, since 20/)
  expect(said).toContain(` on ${hostname()}, since`)
  expect(said).toContain(`: import of ${first})`)
  expect(second.stderr).toMatch(/add --wait to queue this one/)
  // Wherever its state is.
  await exits(7, run(fileOf(10, 'fourth.ndjson'), ...SLOW, '--state', testFolder()))
  await kill(cli)
  expect(await run(fileOf(10, 'third.ndjson'), ...FAST)).toMatchObject({ code: 0 })
})

test('--wait queues an import until the first has ended; an interrupt ends the waiting', async () => {
  const cli = await startSlow(fileOf(1000, 'first.ndjson'))
  const waiting = start(fileOf(10, 'second.ndjson'), ...FAST, '--wait')
  const bored = start(fileOf(10, 'third.ndjson'), ...FAST, '--wait')
  await until(() => expect(waiting.printed()).toMatch(/waiting for process \d+/))
  await until(() => expect(bored.printed()).toMatch(/waiting for process \d+/))
  bored.kill('SIGINT')
  expect(await bored.ended).toMatchObject({ code: 130 })
  cli.kill('SIGINT')
  await exits(130, cli.ended)
  expect(await waiting.ended).toMatchObject({ code: 0 })
})

test('--steal-lock: the other import stops with 7, and both together deliver every event', async () => {
  const path = fileOf(1000, 'first.ndjson')
  const cli = await startSlow(path)
  const thief = await exits(0, run(path, ...FAST, '--steal-lock'))
  expect(unfolded(thief.stderr)).toMatch(/took the lock of process \d+ on .*: import of /)
  const robbed = await exits(7, cli.ended)
  expect(robbed.stderr).not.toMatch(/--steal-lock/)
  const state = stateOf(path)
  expect([state.done, state.counts.delivered]).toEqual([true, 1000])
})

test.each([false, true])(
  'two files pass one volume cap between them, one of them with --state: %j; --new-migration begins another',
  async (apart) => {
    const caps = [...FAST, '--max-events', '1000']
    await exits(0, run(fileOf(700, 'a.ndjson'), ...caps, ...(apart ? ['--state', testFolder()] : [])))
    const b = fileOf(700, 'b.ndjson')
    const capped = await exits(5, run(b, ...caps))
    expect(unfolded(capped.stderr)).toMatch(
      /volume cap is reached: 1,000 events of this migration, over all inputs/,
    )
    expect(capped.stderr).toMatch(/written +300/)
    const status = await runHosted(['status', `${b}.checkpoint.json`, '--json'], env())
    expect(JSON.parse(status.stdout)).toMatchObject({ written: 300, migration: { events: 1000, imports: 2 } })
    await exits(5, run(b, ...caps, '--restart'))
    const anew = await exits(0, run(b, ...caps, '--restart', '--new-migration', '--json'))
    expect(unfolded(anew.stderr)).toMatch(
      /a new migration begins; the one before it counted 1,000 events since 20/,
    )
    expect(JSON.parse(anew.stdout).migration).toMatchObject({ events: 700, max_events: 1000 })
  },
)

test('a place for the ledger that can not be written to stops the import before it sends, if there is no other', async () => {
  const { requests } = sandbox.stats()
  const home = join(testFolder(), 'file')
  writeFileSync(home, '')
  const argv = ['import', '--file', fileOf(1, 'a.ndjson')]
  const { stderr } = await exits(2, runHosted(argv, { ...env(), XDG_STATE_HOME: home }))
  expect(unfolded(stderr)).toMatch(/the count of delivered events.*--state/s)
  expect(sandbox.stats().requests).toBe(requests)
  const other = await exits(
    0,
    runHosted([...argv, '--state', testFolder()], { ...env(), XDG_STATE_HOME: home }),
  )
  expect(unfolded(other.stderr)).toContain('imports of this user with another --state are not counted')
})

test('nothing is left behind but the ledger', async () => {
  const path = fileOf(5, 'a.ndjson')
  await exits(0, run(path, ...FAST))
  expect(readdirSync(join(path, '..')).filter((name) => name.endsWith('.lock'))).toEqual([])
  expect(readdirSync(join(stateHome().XDG_STATE_HOME!, 'posthaul'))).toEqual([
    expect.stringMatching(/^[0-9a-f]{16}\.ledger\.json$/),
  ])
})
