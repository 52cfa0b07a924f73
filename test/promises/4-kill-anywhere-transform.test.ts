import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeHistory } from '../../src/demo/history.ts'
import { startCli } from '../helpers/cli-process.ts'
import { testFolder } from '../helpers/folder.ts'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'

const KILLS = 26

/** Name and bytes of every file, hidden ones too; the manifest without the moment it was made. */
function contents(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return Object.fromEntries(
    files.map((entry) => {
      const text = readFileSync(join(entry.parentPath, entry.name), 'utf8')
      return [entry.name, text.replace(/"created_at": "[^"]*"/, '')]
    }),
  )
}

test('a transform killed at any instant goes on to the very same dataset', { timeout: 150_000 }, async () => {
  const seed = seedOf('kill transform')
  const random = seeded(seed)
  const folder = testFolder()
  mkdirSync(join(folder, 'raw'))
  for (const part of [1, 2]) {
    const lines = makeHistory(12_000, seed + part)
    writeFileSync(join(folder, 'raw', `${part}.ndjson`), `${lines.join('\n')}\n`)
  }
  const out = join(folder, 'events')
  const argv = ['transform', '--preset', 'mixpanel', '--in', join(folder, 'raw'), '--out', out]
  const started = Date.now()
  const undisturbed = await startCli(argv).ended
  expect(undisturbed.code, undisturbed.stderr).toBe(3)
  const usual = Date.now() - started
  const expected = contents(out)
  expect(Object.keys(expected)).toContain('rejects.ndjson')

  let [kills, finished] = [0, 0]
  rmSync(out, { recursive: true })
  while (kills < KILLS || finished === 0) {
    const cli = startCli(argv)
    const timer = kills < KILLS ? setTimeout(() => cli.kill('SIGKILL'), random() * usual * 1.2) : undefined
    const { signal, code, stderr } = await cli.ended
    clearTimeout(timer)
    if (signal === 'SIGKILL') {
      kills++
      // What is there must never look finished unless it is.
      if (readNames(out).includes('manifest.json')) expect(unhidden(out)).toEqual(unhiddenOf(expected))
      continue
    }
    expect(code, stderr).toBe(3)
    expect(contents(out)).toEqual(expected)
    finished++
    rmSync(out, { recursive: true })
  }
})

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** What a reader of the dataset sees: a killed run may leave its work folder and lock behind. */
function unhidden(folder: string): Record<string, string> {
  const names = readNames(folder).filter((name) => !name.startsWith('.'))
  return Object.fromEntries(
    names.map((name) => [
      name,
      readFileSync(join(folder, name), 'utf8').replace(/"created_at": "[^"]*"/, ''),
    ]),
  )
}

function unhiddenOf(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([name]) => !name.startsWith('.')))
}
