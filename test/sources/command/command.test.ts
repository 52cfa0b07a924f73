import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runCommand } from '../../helpers/command.ts'
import { testFolder } from '../../helpers/folder.ts'
import { patience } from '../../helpers/patience.ts'
import { unfolded } from '../../helpers/unfolded.ts'

const DAYS = ['--from', '2023-01-01', '--to', '2023-01-03']
const WHOLE = String.raw`printf '{"id":1,"at":"%s"}\n{"id":2,"at":"%s"}\n' {from} "$POSTHAUL_TO"`

function place() {
  const folder = testFolder()
  const raw = join(folder, 'raw')
  const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}, signal?: AbortSignal) =>
    runCommand(['export', 'command', ...words, '--out', raw], {
      env: { PATH: process.env.PATH!, SHELL: '/bin/bash', ...env },
      ...(signal && { signal }),
    })
  const ok = async (...given: Parameters<typeof run>) => {
    const ran = await run(...given)
    expect(ran.code, ran.stderr).toBe(0)
    return ran
  }
  const part = (name: string) => gunzipSync(readFileSync(join(raw, name))).toString()
  const manifest = () => JSON.parse(readFileSync(join(raw, 'manifest.json'), 'utf8'))
  return { folder, raw, run, ok, part, manifest }
}

/** A command that goes wrong once: `mend` is what it runs from then on. */
function once(folder: string, wrong: string, right = WHOLE): string {
  return `if [ -e ${folder}/tried-{from} ]; then ${right}; else touch ${folder}/tried-{from}; ${wrong}; fi`
}

test('each window is a part, with its ends in the command and in its environment', async () => {
  const { ok, part, manifest, raw } = place()
  const { stderr } = await ok([...DAYS, '--run', WHOLE, '--count', 'echo 2'])
  expect(part('2023-01-02.ndjson.gz')).toBe(
    '{"id":1,"at":"2023-01-02T00:00:00Z"}\n{"id":2,"at":"2023-01-03T00:00:00Z"}\n',
  )
  expect(manifest()).toMatchObject({ kind: 'raw', records: 4, source: { vendor: 'command', window: '24h' } })
  expect(stderr).toContain('nothing is short in 2 windows')
  expect(readdirSync(raw).sort()).toEqual([
    ...['2023-01-01.ndjson.gz', '2023-01-02.ndjson.gz', 'export.json', 'manifest.json', 'vendor-counts.json'],
  ])
})

test.each([
  ['ends with another code', 'printf \'{"id":1}\\n\'; exit 3', 'ended with exit code 3'],
  ['is killed', 'printf \'{"id":1}\\n\'; kill -9 $$', 'was killed by SIGKILL'],
  ['breaks in a pipe', '{ printf \'{"id":1}\\n\'; exit 4; } | cat', 'ended with exit code 4'],
  ['prints half a line', 'printf \'{"id":1}\\n{"id":\'', 'its last line is cut off'],
  ['prints too few', 'printf \'{"id":1}\\n\'', '--count says 2 records, and --run gave 1'],
])('a command that %s is run again, and what it printed is no part', async (_, wrong, says) => {
  const { ok, part, folder } = place()
  const { stderr } = await ok([...DAYS, '--run', once(folder, wrong), '--count', 'echo 2'])
  expect(stderr).toContain(says)
  expect(part('2023-01-01.ndjson.gz').split('\n')).toHaveLength(3)
})

test('a command that gives a window the records of another is refused', async () => {
  const { run, raw } = place()
  const { code, stderr } = await run([...DAYS, '--run', `printf '{"id":1}\\n{"id":2}\\n'`])
  expect([code, unfolded(stderr)]).toEqual([
    2,
    expect.stringContaining('2023-01-02 came with the very same 2 records as 2023-01-01'),
  ])
  expect(readdirSync(raw).sort()).toEqual(['2023-01-01.ndjson.gz', 'export.json'])
})

test.each([
  ['not there', 'no-such-client --quiet', 127, 'check the name of the program and PATH'],
  ['not executable', './client', 126, 'make the file executable'],
  ['not there, within a pipe', 'no-such-client | cat', 127, 'check the name'],
])('a command that is %s is run once, and not retried', async (_, command, exit, hint) => {
  const { run, folder } = place()
  writeFileSync(join(folder, 'client'), '#!/bin/sh\n', { mode: 0o600 })
  const words = ['--run', `cd ${folder}; echo {from} >> tries; ${command}`, '--retry-for', '2s']
  const { code, stderr } = await run([...DAYS, ...words])
  expect(code, stderr).toBe(2)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`the command ended with exit code ${exit}: `)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(hint)
  expect(readFileSync(join(folder, 'tries'), 'utf8')).toBe('2023-01-01T00:00:00Z\n')
})

test('a last line that is whole JSON needs no line end', async () => {
  const { ok, part } = place()
  await ok([...DAYS, '--run', 'printf \'{"id":1}\\n{"n":"%02000000d%s"}\' 0 {from}', '--count', 'echo 2'])
  expect(part('2023-01-01.ndjson.gz')).toMatch(/^{"id":1}\n{"n":"0{2000000}2023-01-01T00:00:00Z"}\n$/)
})

test('a window that prints nothing is empty only if the command ended with 0', async () => {
  const { run, manifest } = place()
  const { code } = await run([...DAYS, '--run', 'exit 1', '--retry-for', '0s'])
  expect(code).toBe(5)
  const good = place()
  expect((await good.run([...DAYS, '--run', 'true'])).code).toBe(0)
  expect(good.manifest().records).toBe(0)
  expect(manifest).toThrow()
})

test.each([
  ['csv', String.raw`printf 'id,text\n1,"two\nlines"\n2,"a ""quote"" %s"\n' {from}`],
  ['tsv', String.raw`printf 'id\ttext\n1\ta"b\n2\t%s\n' {from}`],
])('the header of %s is no record, and a line end within quotes ends none', async (form, command) => {
  const { ok, manifest, folder } = place()
  const words = [...DAYS, '--as', form, '--count', 'echo 2', '--run']
  const { stderr } = await ok([...words, once(folder, `${command}; printf 3`, command)])
  expect(stderr).toContain('its last line is cut off')
  expect(manifest().parts[0]).toMatchObject({ file: `2023-01-01.${form}.gz`, events: 2 })
})

test('init reads what was written, tables too', async () => {
  const { run, raw, folder } = place()
  const command = String.raw`printf 'event,distinct_id,timestamp\nbought,u1,%s\n' {from}`
  await run([...DAYS, '--as', 'csv', '--run', command])
  const map = join(folder, 'mapping.yaml')
  const made = await runCommand(['init', raw, '--out', map])
  expect(made.code, made.stderr).toBe(0)
  expect(readFileSync(map, 'utf8')).toContain('timestamp')
})

test('a count that never agrees ends the window with a clear error', async () => {
  const { run } = place()
  const { code, stderr } = await run([...DAYS, '--run', WHOLE, '--count', 'echo 3'])
  expect(code).toBe(5)
  expect(stderr).toContain('--count says 3 records, and --run gave 2, 3 times')
  expect(stderr).toContain('both must ask for the same records')
})

test.each(['', 'three', '-1', '1.5', '2,000', '1 000 000', '2\n3'])(
  'a count of %j is refused',
  async (text) => {
    const { code, stderr } = await place().run([...DAYS, '--run', WHOLE, '--count', `printf '%s' '${text}'`])
    expect(code).toBe(2)
    expect(stderr).toContain(
      text === '' ? '--count printed nothing' : `--count printed ${JSON.stringify(text)}`,
    )
  },
)

test.each(['0|', '0,', '0'])('a count of %j, as of no rows, has no checksum', async (text) => {
  const { ok, manifest } = place()
  await ok([...DAYS, '--run', 'true', '--count', `echo '${text}'`])
  expect(manifest().records).toBe(0)
})

test.each([
  ['count', '2', '3', 1],
  ['checksum', '2|aa', '2|ab', 0],
])('a recount reads again what has another %s', async (_, before, after, more) => {
  const { ok, folder, manifest } = place()
  const count = join(folder, 'count')
  const lines = join(folder, 'lines')
  const words = [...DAYS, '--run', `sed 's/}/,"at":"{from}"}/' ${lines}`, '--count', `cat ${count}`]
  writeFileSync(count, before)
  writeFileSync(lines, '{"id":1}\n{"id":2}\n')
  await ok(words)
  const first = manifest()
  writeFileSync(count, after)
  writeFileSync(lines, `{"id":1}\n{"id":9}\n${'{"id":3}\n'.repeat(more)}`)
  // They were final when they were read.
  await ok(words)
  expect(manifest().parts).toEqual(first.parts)
  await ok([...words, '--recount'])
  expect(manifest().records).toBe(2 * (2 + more))
  expect(manifest().parts[0].sha256).not.toBe(first.parts[0].sha256)
})

test('windows that may still get records are counted again at the end of each run', async () => {
  const { ok, folder, manifest } = place()
  const lines = join(folder, 'lines')
  const words = [
    ...DAYS,
    '--overlap',
    '100000d',
    '--run',
    `sed 's/}/,"at":"{from}"}/' ${lines}`,
    '--count',
    `grep -c . ${lines}`,
  ]
  writeFileSync(lines, '{"id":1}\n')
  await ok(words)
  writeFileSync(lines, '{"id":1}\n{"id":2}\n')
  const { stderr } = await ok(words)
  expect(stderr).toContain('2 windows got or lost rows since: they are read again')
  expect(manifest().records).toBe(4)
})

test('a window that goes on changing is told, and is no end without an end', async () => {
  const { run, folder } = place()
  const lines = join(folder, 'lines')
  writeFileSync(lines, '')
  // Each count finds one more than the reading before it.
  const count = `echo '{"id":1}' >> ${lines}; grep -c . ${lines}`
  const words = ['--from', '2023-01-01', '--to', '2023-01-02', '--overlap', '100000d']
  const { code, stderr } = await run([...words, '--run', `cat ${lines}`, '--count', count])
  expect(code, stderr).toBe(3)
  expect(stderr).toContain('1 of 1 window: --count counts more rows than it gave')
})

test('a count that fails at the end loses nothing, and is told', async () => {
  const { ok, folder, manifest } = place()
  const asked = join(folder, 'asked')
  const count = `if [ -e ${asked} ]; then exit 9; fi; touch ${asked}; echo 2`
  const words = ['--from', '2023-01-01', '--to', '2023-01-02', '--overlap', '100000d', '--retry-for', '0s']
  const { stderr } = await ok([...words, '--run', WHOLE, '--count', count])
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('whether --count gave all it has is not known')
  expect(manifest().records).toBe(2)
})

test.each([
  ['another command', ['--run', `${WHOLE} `]],
  ['another window', ['--run', WHOLE, '--window', '12h']],
  ['another form', ['--run', WHOLE, '--as', 'csv']],
])('a folder is refused to %s', async (_, words) => {
  const { run } = place()
  expect((await run([...DAYS, '--run', WHOLE])).code).toBe(0)
  const { code, stderr } = await run([...DAYS, ...words])
  expect(code).toBe(6)
  expect(stderr).toContain('holds another export')
})

test('--file is copied for each window, with the ends of the window in it', async () => {
  const { ok, run, part, folder, raw } = place()
  const query = join(folder, "it's q.sql")
  writeFileSync(query, '{"q":"{from} to {to} {file} {other} $& $1"}\n')
  const words = [...DAYS, '--run', 'cat {file}', '--count', 'wc -l < {file}', '--file', query]
  await ok(words)
  expect(part('2023-01-01.ndjson.gz')).toBe(
    '{"q":"2023-01-01T00:00:00Z to 2023-01-02T00:00:00Z {file} {other} $& $1"}\n',
  )
  expect(readdirSync(raw).filter((name) => name.endsWith('.tmp'))).toEqual([])
  writeFileSync(query, '{"q":2}\n')
  expect((await run(words)).code).toBe(6)
})

test.each([
  [['--run', 'cat {file}'], '{file} is that of --file, which is not given'],
  [['--run', 'cat', '--file', 'q.sql'], 'neither --run nor --count uses the {file} of --file'],
  [['--run', 'cat', '--window-format', 'YYYY-MM-DD', '--window', '1h'], '--window-format YYYY-MM-DD writes'],
  [['--run', 'cat', '--window-format', 'DD MMM YYYY'], 'MMM can be read and not be written'],
])('%j is refused', async (words, says) => {
  const { code, stderr } = await place().run([...DAYS, ...words])
  expect(code).toBe(2)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(says)
})

test.each([
  ['YYYY-MM-DD HH:mm:ss', '2023-01-01 00:00:00'],
  ['YYYYMMDD', '20230101'],
  ['epoch_s', '1672531200'],
  ['epoch_ms', '1672531200000'],
  ["D.M.YYYY 'at' HH:mm", '1.1.2023 at 00:00'],
  ['YYYY-MM-DDTHH:mm:ss.SSSZ', '2023-01-01T00:00:00.000Z'],
])('--window-format %s', async (format, text) => {
  const { ok, part } = place()
  const words = ['--run', 'printf \'{"from":"%s"}\\n\' "{from}"', '--window-format', format]
  await ok([...DAYS, ...words])
  expect(JSON.parse(part('2023-01-01.ndjson.gz'))).toEqual({ from: text })
})

test('secrets of the environment are taken out of what a command says', async () => {
  const { run } = place()
  const env = {
    SHOP: 'postgres://reader:p%40ss-word@db/shop',
    PGPASSWORD: 'sesame-open',
    API_TOKEN: 'tok-12345',
    CONN: 'host=db password=dsn-secret user=x',
  }
  const says = 'echo "no login: $SHOP p@ss-word $PGPASSWORD $API_TOKEN $CONN" >&2; exit 1'
  const { stderr, code } = await run([...DAYS, '--run', says, '--retry-for', '0s'], env)
  expect(code).toBe(5)
  const said = stderr.replaceAll(/then: [\s\S]*/g, '').replaceAll(/\s+/g, ' ')
  expect(said).toContain('no login: postgres://reader:[redacted]@db/shop')
  expect(said).not.toMatch(/p%40ss|p@ss|sesame|tok-1|dsn-secret/)
})

test('only the last lines of what a command says are shown', async () => {
  const { run } = place()
  const says = 'for i in $(seq 1 5000); do echo "line $i" >&2; done; exit 1'
  const { stderr } = await run([...DAYS, '--run', says, '--retry-for', '0s'])
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    'line 4996 / line 4997 / line 4998 / line 4999 / line 5000',
  )
  expect(stderr).not.toContain('line 4995')
})

test('standard input is closed, and no two commands run at once', async () => {
  const { ok, folder } = place()
  const lock = join(folder, 'lock')
  const command = `mkdir ${lock} && cat && rmdir ${lock}`
  const words = ['--from', '2023-01-01', '--to', '2023-01-09', '--retry-for', '0s']
  await ok([...words, '--run', command])
})

/** True while the process of this number runs. */
function runs(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

const until = (truth: () => boolean) => vi.waitFor(() => expect(truth()).toBe(true), patience(10_000))

test('a run that is told to stop ends all that the command started, those too that ignore it', async () => {
  const { run, folder, raw } = place()
  const stop = new AbortController()
  const [pids, ready] = [join(folder, 'pids'), join(folder, 'ready')]
  const deaf = `trap '' TERM; echo $BASHPID >> ${pids}; touch ${ready}; while :; do read -t 60 < <(tail -f /dev/null); done`
  const command = `(${deaf}) & echo $$ >> ${pids}; echo '{"id":1}'; wait`
  const ended = run([...DAYS, '--run', command], {}, stop.signal)
  await until(() => existsSync(ready) && statSync(pids).size > 0)
  stop.abort()
  expect((await ended).code).toBe(130)
  const all = readFileSync(pids, 'utf8').trim().split('\n').map(Number)
  expect(all).toHaveLength(2)
  await until(() => !all.some(runs))
  expect(readdirSync(raw).filter((name) => name.endsWith('.gz'))).toEqual([])
})

test.each([
  ['0', 2, 'a process that it left behind holds its output open'],
  ['9', 5, 'ended with exit code 9'],
])(
  'a process that is left behind by a command that ends with %s is not waited for',
  async (exit, ends, says) => {
    const { run, folder } = place()
    const left = join(folder, 'left')
    onTestFinished(() => {
      for (const pid of readFileSync(left, 'utf8').trim().split('\n')) process.kill(Number(pid), 'SIGKILL')
    })
    const real = setTimeout
    const shorter = (ms: number) => (ms === 60_000 ? 50 : ms)
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((call: () => void, ms = 0, ...more: []) =>
      real(call, shorter(ms), ...more)) as never)
    onTestFinished(() => void vi.restoreAllMocks())
    // A job of its own is out of reach: what ends the command's group does not end it.
    const command = `set -m; tail -f /dev/null & echo $! >> ${left}; echo '{"id":1}'; exit ${exit}`
    const { code, stderr } = await run([...DAYS, '--run', command, '--retry-for', '0s'])
    expect([code, unfolded(stderr)]).toEqual([ends, expect.stringContaining(says)])
  },
)

test('a dry run shows the commands and runs none', async () => {
  const { run, folder } = place()
  const touched = join(folder, 'touched')
  const { code, stdout } = await run([...DAYS, '--run', `touch ${touched} {from}`, '--dry-run'])
  expect(code).toBe(0)
  expect(stdout).toContain(`2023-01-01\ttouch ${touched} 2023-01-01T00:00:00Z`)
  expect(existsSync(touched)).toBe(false)
})
