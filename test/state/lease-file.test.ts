import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { fileCell } from '../../src/state/cell.ts'
import { acquireLease } from '../../src/state/lease.ts'
import { holderHere } from '../../src/store/holder.ts'
import { LocalStore } from '../../src/store/local.ts'
import { bootId, pidNamespace, processStart } from '../../src/store/process-start.ts'
import { testFolder } from '../helpers/folder.ts'
import { patience } from '../helpers/patience.ts'

const DEAD = { pid: 2 ** 22 + 1, process_start: '1' }
const lockPath = () => join(testFolder(), 'events.lock')
const take = (path: string) => acquireLease({ cell: fileCell(path) })

async function holder(path: string, values: Record<string, unknown>): Promise<void> {
  const found = {
    pid: process.pid,
    host: hostname(),
    process_start: await processStart(process.pid),
    boot: await bootId(),
    pid_namespace: await pidNamespace(),
    since: '2024-03-01T00:00:00.000Z',
    nonce: 'n',
    purpose: '',
    renewals: 0,
    ...values,
  }
  await writeFile(
    path,
    JSON.stringify(path.endsWith('events.lock') ? { version: 2, holders: [found] } : found),
  )
}

/** A process that does nothing, to be the one that holds a lease. */
async function bystander() {
  const child = spawn(process.execPath, ['-e', 'process.stdout.write("up"); setInterval(() => {}, 1e6)'])
  await once(child.stdout, 'data')
  const end = async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  return { pid: child.pid!, end }
}

test('a living process holds its lease; when it is killed, the lease is taken over', async () => {
  const path = lockPath()
  const other = await bystander()
  await holder(path, { pid: other.pid, process_start: await processStart(other.pid) })
  await expect(take(path)).rejects.toMatchObject({ code: 'locked', exitCode: 7 })
  await other.end()
  const lease = await take(path)
  expect(JSON.parse(await readFile(path, 'utf8')).holders).toMatchObject([{ pid: process.pid }])
  await lease.release()
  expect(await readdir(dirname(path))).toEqual([])
})

test.runIf(process.platform === 'linux')('a process that ended unnoticed holds nothing', async () => {
  const path = lockPath()
  // The shell becomes a program that never waits for its child, which ends at once.
  const parent = spawn('sh', ['-c', 'sh -c "echo \\$\\$" & exec tail -f /dev/null'])
  const [pid] = await once(parent.stdout, 'data')
  await holder(path, { pid: Number(pid), process_start: await processStart(Number(pid)) })
  // The moment between its last word and its end is still the living holder's.
  await vi.waitFor(async () => (await take(path)).release(), { timeout: patience(30_000) })
  parent.kill('SIGKILL')
  await once(parent, 'close')
})

test('of many that find a dead holder at once, one wins', async () => {
  for (let round = 0; round < 10; round++) {
    const path = lockPath()
    await holder(path, DEAD)
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => take(path)))
    const won = results.filter((result) => result.status === 'fulfilled')
    expect(won).toHaveLength(1)
    await won[0]!.value.release()
    expect(await readdir(dirname(path))).toEqual([])
  }
})

test('one that died while it replaced the file leaves a mutex that the next one takes over', async () => {
  const path = lockPath()
  const mutex = join(dirname(path), '.events.lock.lock')
  await holder(path, DEAD)
  await holder(mutex, { ...DEAD, nonce: 'm' })
  await holder(`${mutex}.takeover`, { ...DEAD, nonce: 'o' })
  await (await take(path)).release()
  expect(await readdir(dirname(path))).toEqual([])
})

test('a folder that is not there is said, not locked', async () => {
  await expect(take(join(lockPath(), 'deeper', 'x.lock'))).rejects.toMatchObject({ code: 'input' })
})

/** Takes and gives back a lease beside these files, and returns those that are left. */
async function leftOf(files: Readonly<Record<string, { text: string; ageMs?: number }>>): Promise<string[]> {
  const folder = testFolder()
  for (const [name, { text, ageMs = 0 }] of Object.entries(files)) {
    writeFileSync(join(folder, name), text)
    const at = (Date.now() - ageMs) / 1000
    utimesSync(join(folder, name), at, at)
  }
  await (await acquireLease({ cell: fileCell(join(folder, 'x.lock')) })).release()
  return readdirSync(folder).sort()
}

test('what a killed run left beside a lock goes with the next run that takes it', async () => {
  const dead = { ...(await holderHere()), pid: DEAD.pid }
  const text = JSON.stringify(dead)
  expect(
    await leftOf({
      '.x.lock.0123abcd.tmp': { text: JSON.stringify({ version: 2, holders: [dead] }) },
      '..x.lock.lock.0123abcd.tmp': { text },
      '..x.lock.lock.takeover.0123abcd.tmp': { text },
      '.x.lock.00000000.tmp': { text: '', ageMs: 3_600_000 },
    }),
  ).toEqual([])
})

test('what may be of a run that lives stays, and so does what is of others', async () => {
  const live = JSON.stringify(await holderHere())
  const files = {
    '.x.lock.0123abcd.tmp': { text: live, ageMs: 3_600_000 },
    '.x.lock.00000000.tmp': { text: '' },
    '.y.lock.0123abcd.tmp': { text: '', ageMs: 3_600_000 },
    '.x.lock.mine.tmp': { text: '', ageMs: 3_600_000 },
  }
  expect(await leftOf(files)).toEqual(Object.keys(files).sort())
})

test('the sweep of a dataset leaves those of its locks alone', async () => {
  const folder = testFolder()
  for (const name of ['.part.0123abcd.tmp', '..export.lock.0123abcd.tmp'])
    writeFileSync(join(folder, name), '')
  await new LocalStore(folder).sweep()
  expect(existsSync(join(folder, '..export.lock.0123abcd.tmp'))).toBe(true)
  expect(existsSync(join(folder, '.part.0123abcd.tmp'))).toBe(false)
})
