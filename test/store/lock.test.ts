import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { acquireLock, lockedBy } from '../../src/store/lock.ts'
import { bootId, processStart } from '../../src/store/process-start.ts'

async function lockPath(): Promise<string> {
  return join(await mkdtemp(join(tmpdir(), 'posthaul-lock-')), 'events.lock')
}

async function holder(path: string, values: Record<string, unknown>): Promise<void> {
  const found = {
    pid: process.pid,
    host: hostname(),
    process_start: await processStart(process.pid),
    boot: await bootId(),
    since: '2024-03-01T00:00:00.000Z',
    nonce: 'n',
    ...values,
  }
  await writeFile(path, JSON.stringify(found))
}

/** A process that does nothing, to be the one that holds a lock. */
async function bystander() {
  const child = spawn(process.execPath, ['-e', 'process.stdout.write("up"); setInterval(() => {}, 1e6)'])
  await once(child.stdout, 'data')
  const end = async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  return { pid: child.pid!, end }
}

test('is taken once, given back, and taken again', async () => {
  const path = await lockPath()
  const lock = await acquireLock(path)
  await expect(acquireLock(path)).rejects.toMatchObject({
    code: 'locked',
    exitCode: 7,
    message: expect.stringContaining(`process ${process.pid} on ${hostname()}`),
  })
  await lock.release()
  await lock.release()
  await (await acquireLock(path)).release()
  expect(await readdir(dirname(path))).toEqual([])
})

test('says who holds it, while somebody does', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'posthaul-lock-')), 'lock')
  expect(await lockedBy(path)).toBeUndefined()
  const lock = await acquireLock(path)
  expect(await lockedBy(path)).toContain(`process ${process.pid} on ${hostname()}, since 20`)
  await lock.release()
  expect(await lockedBy(path)).toBeUndefined()
})

test('a living process holds its lock; when it is killed, the lock is taken over', async () => {
  const path = await lockPath()
  const other = await bystander()
  await holder(path, { pid: other.pid, process_start: await processStart(other.pid) })
  await expect(acquireLock(path)).rejects.toMatchObject({ code: 'locked' })
  await other.end()
  const lock = await acquireLock(path)
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ pid: process.pid })
  await lock.release()
  expect(await readdir(dirname(path))).toEqual([])
})

test.runIf(process.platform === 'linux')('a recycled process id is not taken for the holder', async () => {
  const path = await lockPath()
  await holder(path, { process_start: '1' })
  await (await acquireLock(path)).release()
})

test.runIf(process.platform === 'linux')('a process that ended unnoticed holds nothing', async () => {
  const path = await lockPath()
  // The shell becomes a program that never waits for its child, which ends at once.
  const parent = spawn('sh', ['-c', 'sh -c "echo \\$\\$" & exec tail -f /dev/null'])
  const [pid] = await once(parent.stdout, 'data')
  await holder(path, { pid: Number(pid), process_start: null })
  // The moment between its last word and its end is still the living holder's.
  await vi.waitFor(async () => (await acquireLock(path)).release())
  parent.kill('SIGKILL')
  await once(parent, 'close')
})

test.runIf(process.platform === 'linux')('nothing that ran before a reboot is alive', async () => {
  const path = await lockPath()
  await holder(path, { boot: 'another boot' })
  await (await acquireLock(path)).release()
})

test('where the system tells no start times, a living process id counts', async () => {
  const path = await lockPath()
  await holder(path, { process_start: null, boot: null })
  await expect(acquireLock(path)).rejects.toMatchObject({ code: 'locked' })
})

test('another host is never judged from here', async () => {
  const path = await lockPath()
  await holder(path, { host: 'elsewhere', pid: 2 ** 22 + 1 })
  await expect(acquireLock(path)).rejects.toMatchObject({
    code: 'locked',
    hint: expect.stringMatching(/elsewhere.*delete/),
  })
})

test.each(['', '{"pid":1}', 'null', 'not json'])('a file that says %j is left alone', async (text) => {
  const path = await lockPath()
  await writeFile(path, text)
  await expect(acquireLock(path)).rejects.toMatchObject({
    code: 'locked',
    hint: expect.stringContaining(path),
  })
  expect(await readFile(path, 'utf8')).toBe(text)
})

test('of many that find a dead holder at once, one wins', async () => {
  for (let round = 0; round < 10; round++) {
    const path = await lockPath()
    await holder(path, { pid: 2 ** 22 + 1, process_start: '1' })
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => acquireLock(path)))
    const won = results.filter((result) => result.status === 'fulfilled')
    expect(won).toHaveLength(1)
    await won[0]!.value.release()
    expect(await readdir(dirname(path))).toEqual([])
  }
})

test('one that died while taking over is taken over in turn', async () => {
  const path = await lockPath()
  await holder(path, { pid: 2 ** 22 + 1, process_start: '1' })
  await holder(`${path}.takeover`, { pid: 2 ** 22 + 1, process_start: '2', nonce: 'm' })
  await (await acquireLock(path)).release()
  expect(await readdir(dirname(path))).toEqual([])
})

test('a lock that somebody else has since taken is not given back', async () => {
  const path = await lockPath()
  const lock = await acquireLock(path)
  await holder(path, { nonce: 'somebody else' })
  await lock.release()
  expect(await readFile(path, 'utf8')).toContain('somebody else')
})

test('a folder that is not there is said, not locked', async () => {
  await expect(acquireLock(join(await lockPath(), 'deeper', 'x.lock'))).rejects.toMatchObject({
    code: 'input',
  })
})
