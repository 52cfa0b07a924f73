import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { RunResult } from '../../src/commands/results.ts'
import { signalWhen, startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { patience } from '../helpers/patience.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'

/* `export command` under kills, and as the source of a migration file. */

const ENV = { PATH: process.env.PATH!, SHELL: '/bin/bash' }
const LINES = String.raw`for i in $(seq 1 500); do printf '{"event":"Bought","distinct_id":"u%s","timestamp":"%s","insert_id":"%s-%s"}\n' $((i % 7)) {from} {from} $i; done`
const WORDS = ['export', 'command', '--from', '2023-01-01', '--to', '2023-01-07', '--count', 'echo 500']

const partsOf = (raw: string) => JSON.parse(readFileSync(join(raw, 'manifest.json'), 'utf8')).parts

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'after %s in a window its command is gone, and the same line makes the same parts',
  async (signal) => {
    const folder = testFolder()
    const [pids, go] = [join(folder, 'pids'), join(folder, 'go')]
    // The fourth window hangs until it is let go, deaf to a polite signal, and with a child that is deaf too.
    const hangs = `case {from} in 2023-01-04*) if [ ! -e ${go} ]; then trap '' TERM; echo $$ >> ${pids}; tail -f /dev/null & echo $! >> ${pids}; wait; wait; fi;; esac`
    const half = (from: number, to: number) => LINES.replace('seq 1 500', `seq ${from} ${to}`)
    const command = `${half(1, 250)}\n${hangs}\n${half(251, 500)}`
    const line = (raw: string) => [...WORDS, '--run', command, '--out', raw]
    const raw = join(folder, 'raw')
    const killed = await signalWhen(startCli(line(raw), ENV), signal, () => {
      return existsSync(pids) && readFileSync(pids, 'utf8').split('\n').length === 3
    })
    expect(signal === 'SIGKILL' ? killed.signal : killed.code, killed.stderr).toBe(
      signal === 'SIGKILL' ? signal : 143,
    )
    const all = readFileSync(pids, 'utf8').trim().split('\n').map(Number)
    onTestFinished(() => {
      for (const pid of all.filter(isAlive)) process.kill(pid, 'SIGKILL')
    })
    await vi.waitFor(() => expect(all.filter(isAlive)).toEqual([]), patience(5000))
    expect(existsSync(join(raw, 'manifest.json'))).toBe(false)
    writeFileSync(go, '')
    await exits(0, runHosted(line(raw), ENV))
    const whole = join(folder, 'whole')
    await exits(0, runHosted(line(whole), ENV))
    expect(partsOf(raw)).toEqual(partsOf(whole))
    expect(partsOf(raw)).toHaveLength(6)
  },
)

test('a migration file has it as its source, doctor tries it, and another command is another export', async () => {
  const folder = testFolder()
  const sandbox = await testSandbox({ mergeAfterMs: 0 })
  const file = join(folder, 'migration.yaml')
  writeFileSync(join(folder, 'mapping.yaml'), 'preset: events\nfields: { uuid: insert_id }\n')
  writeFileSync(join(folder, 'lines.sh'), `${LINES}\n`)
  const write = (run: string) =>
    writeFileSync(
      file,
      `source:
  command:
    from: 2023-01-01
    to: 2023-01-04
    run: ${run}
    count: echo 500
    file: lines.sh
mapping: { file: mapping.yaml }
store: data
target: { host: "${sandbox.url}", project_id: ${sandbox.projectId} }
approval: { reference: rehearsal, events: 1000000, events_per_minute: 1000000 }
import: { arrival_wait: 0s }
verify: { wait: 0s }
`,
    )
  const env = { ...ENV, ...sandboxEnv(sandbox) }
  const run = async () => {
    const { stdout } = await exits(0, runHosted(['run', file, '--json'], env))
    return (JSON.parse(stdout) as RunResult).stages.map(({ stage }) => stage)
  }
  write('bash {file}')
  const doctor = await runHosted(['doctor', file, '--json'], env)
  expect(doctor.stdout, doctor.stderr).toContain(
    'the command of source: command works: 2023-01-03 begins with',
  )
  expect(doctor.stdout).toContain('members: event, distinct_id, timestamp, insert_id')
  expect(await run()).toEqual(['export', 'transform', 'check', 'import', 'verify'])
  const { results } = await sandbox.query('SELECT count() FROM events')
  expect(results[0]).toEqual([1500])
  expect(await run()).toEqual([])
  write('cat {file} >&2; exit 7')
  const broken = await runHosted(['doctor', file, '--json'], env)
  expect(broken.stdout).toContain('the command ended with exit code 7')
  write('cat {file} | bash')
  await exits(6, runHosted(['run', file], env))
})
