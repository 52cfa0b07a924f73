import { getEventListeners } from 'node:events'
import { appendFileSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Spool, spoolFile } from '../../src/library/spool.ts'
import { testFolder } from '../helpers/folder.ts'

const line = (text: string) => Buffer.from(`${text}\n`)

test('keeps lines in the order of the calls, each whole, before it says so', async () => {
  const folder = join(testFolder(), 'spool')
  const spool = await Spool.open(folder, 'power-loss')
  const texts = Array.from({ length: 500 }, (_, n) => `{"n":${n}}`)
  await Promise.all(
    texts.map(async (text) => {
      await spool.append(line(text))
      expect(readFileSync(spoolFile(folder), 'utf8')).toContain(`${text}\n`)
    }),
  )
  expect(readFileSync(spoolFile(folder), 'utf8')).toBe(texts.map((text) => `${text}\n`).join(''))
  expect(statSync(folder).mode & 0o077).toBe(0)
  await spool.close()
})

test.each([10, 200_000])('cuts off what a killed process wrote of a line: %i bytes', async (bytes) => {
  const folder = testFolder()
  const spool = await Spool.open(folder, 'kill')
  await spool.append(line('{"whole":1}'))
  await spool.close()
  appendFileSync(spoolFile(folder), 'x'.repeat(bytes))
  const again = await Spool.open(folder, 'kill')
  expect(again.bytes).toBe('{"whole":1}\n'.length)
  await again.append(line('{"whole":2}'))
  await again.close()
  expect(readFileSync(spoolFile(folder), 'utf8')).toBe('{"whole":1}\n{"whole":2}\n')
})

test('thousands of lines may share a signal, and leave no listener with it', async () => {
  const spool = await Spool.open(testFolder(), 'kill')
  const { signal } = new AbortController()
  const calls = Array.from({ length: 20_000 }, () => spool.append(line('{}'), signal))
  expect(getEventListeners(signal, 'abort')).toEqual([])
  await Promise.all(calls)
  await spool.close()
})

test('is one client’s at a time, and the next one’s after it is closed', async () => {
  const folder = testFolder()
  const spool = await Spool.open(folder, 'kill')
  await expect(Spool.open(folder, 'kill')).rejects.toMatchObject({ code: 'locked' })
  await spool.close()
  await (await Spool.open(folder, 'kill')).close()
})

test('a client whose spool another one has taken says so, and writes no more into it', async () => {
  const folder = testFolder()
  const spool = await Spool.open(folder, 'kill')
  await spool.append(line('{"mine":1}'))
  rmSync(`${spoolFile(folder)}.lock`)
  const other = await Spool.open(folder, 'kill')
  // A look at the lease is good for a second.
  await sleep(1100)
  await expect(spool.append(line('{"mine":2}'))).rejects.toMatchObject({ code: 'locked' })
  await other.append(line('{"its":1}'))
  await other.close()
  await expect(spool.close()).rejects.toMatchObject({ code: 'locked' })
  expect(readFileSync(spoolFile(folder), 'utf8')).toBe('{"mine":1}\n{"its":1}\n')
})

test('an aborted line is kept whole or not at all, and the call says which', async () => {
  const folder = testFolder()
  const spool = await Spool.open(folder, 'kill')
  const stop = new AbortController()
  const kept: string[] = []
  const calls = Array.from({ length: 2000 }, async (_, n) => {
    await spool.append(line(`{"n":${n},"pad":"${'x'.repeat(10_000)}"}`), stop.signal)
    kept.push(`{"n":${n}`)
  })
  await calls[0]
  stop.abort()
  const ended = await Promise.allSettled(calls)
  expect(ended.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
  await expect(spool.append(line('{}'), stop.signal)).rejects.toMatchObject({ code: 'interrupted' })
  await spool.close()
  const lines = readFileSync(spoolFile(folder), 'utf8').trimEnd().split('\n')
  expect(lines.map((text) => text.slice(0, text.indexOf(',')))).toEqual(kept)
})
