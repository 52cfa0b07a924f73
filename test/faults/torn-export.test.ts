import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXIT } from '../../src/errors.ts'
import { runCli } from '../helpers/cli-process.ts'
import { runCommand } from '../helpers/command.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf, shuffled } from '../helpers/random.ts'
import { suffering } from './kit/plan.ts'
import { worksOf } from './kit/works.ts'

const seed = seedOf('torn export')

const DAMAGES: Readonly<Record<string, (whole: Buffer) => Buffer | undefined>> = {
  'is emptied': (whole) => whole.subarray(0, 0),
  'is cut in the middle': (whole) => whole.subarray(0, whole.length >>> 1),
  'lost its last byte': (whole) => whole.subarray(0, -1),
  'has a wrong bit': (whole) => {
    const copy = Buffer.from(whole)
    copy[copy.length >>> 1]! ^= 1
    return copy
  },
  'is gone': () => undefined,
}

/** Killed when so many parts are there: windows are fetched beside each other, and any may be the first. */
const killedAt = (parts: number) =>
  suffering({ match: '.ndjson.gz', kill: { point: 'rename', nth: parts, when: 'after' } })

test('whatever happened to a file of a killed export, it goes on, or names the file; no damaged part is transformed', async () => {
  const folder = testFolder()
  const { argv, env, check } = await worksOf(seed).export(folder)
  expect((await runCli(argv, { ...env, ...killedAt(2) })).signal).toBe('SIGKILL')
  const out = join(folder, 'raw')
  const kept = testFolder()
  cpSync(out, kept, { recursive: true })
  const names = readdirSync(out, { recursive: true, encoding: 'utf8' })
  const cases = names
    .filter((name) => statSync(join(out, name)).isFile())
    .flatMap((name) => Object.entries(DAMAGES).map(([what, make]) => ({ name, what, make })))
  for (const { name, what, make } of shuffled(cases, seeded(seed)).slice(0, kills({ few: 3, many: 100 }))) {
    rmSync(out, { recursive: true })
    cpSync(kept, out, { recursive: true })
    const path = join(out, name)
    const bytes = make(readFileSync(path))
    if (bytes) writeFileSync(path, bytes)
    else rmSync(path)
    const ended = { ...(await runCommand(argv, { env: env ?? {} })), signal: null }
    const about = `${name} ${what}: ${ended.stderr}`
    if (ended.code !== EXIT.done) {
      expect(ended.code, about).toBeOneOf([EXIT.usage, EXIT.mismatch, EXIT.locked])
      expect(ended.stderr.replaceAll(/\s+/g, ' '), about).toContain(bytes ? name : out)
    } else if (what === 'has a wrong bit' && name.endsWith('.ndjson.gz')) {
      // The part has its length, and export does not read it again. Who reads it finds the fault.
      const events = join(testFolder(), 'events')
      const words = ['transform', '--preset', 'mixpanel', '--in', out, '--out', events]
      const read = await runCommand(words, { built: true })
      if (read.code === EXIT.done) await check(ended)
      else expect([read.code, read.stderr], about).toEqual([EXIT.usage, expect.stringContaining(name)])
    } else await check(ended)
  }
})

test.each([
  [
    'under a name that no window has',
    (part: string) => part.replace('.', ' (1).'),
    'is no part of this export',
  ],
  [
    'under the name of a window that is missing',
    (part: string) => part.replace(/\d\./, (day) => (day === '1.' ? '3.' : '1.')),
    'is fetched again',
  ],
])('a part that was copied %s is not taken for another', async (_, copied, said) => {
  const folder = testFolder()
  const { argv, env = {}, check } = await worksOf(seed).export(folder)
  expect((await runCli(argv, { ...env, ...killedAt(1) })).signal).toBe('SIGKILL')
  const out = join(folder, 'raw')
  const part = readdirSync(out).find((name) => /^2024.*gz$/.test(name))!
  const copy = copied(part)
  cpSync(join(out, part), join(out, copy))
  const ended = await runCommand(argv, { env })
  expect(ended.stderr.replaceAll(/\s+/g, ' ')).toContain(said)
  if (copy.includes('(')) rmSync(join(out, copy))
  await check({ ...ended, signal: null })
})
