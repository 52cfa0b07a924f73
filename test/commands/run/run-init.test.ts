import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { initMigration } from '../../../src/commands/run/init.ts'
import type { Io } from '../../../src/io.ts'
import { parseMigration } from '../../../src/migration/migration-file.ts'
import { testFolder } from '../../helpers/folder.ts'

const UNSAID = {
  source: undefined,
  days: undefined,
  in: [],
  preset: undefined,
  store: undefined,
  region: undefined,
  host: undefined,
}

/** A user at a terminal, who answers question by question; `then`: what the user does after the last answer. */
async function asked(answers: readonly string[], then?: 'end' | 'interrupt') {
  const file = join(testFolder(), 'migration.yaml')
  const stop = new AbortController()
  const left = [...answers]
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  let shown = ''
  const stderr = {
    isTTY: true,
    write: (text: string) => {
      shown += text
      if (!text.endsWith('> ')) return true
      const answer = left.shift()
      if (answer !== undefined) stdin.write(`${answer}\n`)
      else if (then === 'end') stdin.end()
      else stop.abort('SIGINT')
      return true
    },
  }
  const io = { stdin, stderr, interrupted: stop.signal, env: {}, argv: ['run', '--init', file] }
  const error = await initMigration(file, UNSAID, io as unknown as Io).then(
    () => undefined,
    (caught: unknown) => caught,
  )
  const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  return { error, shown, migration: text === undefined ? undefined : parseMigration(text, file, {}) }
}

test('the answers of a terminal make a file that is right, and a wrong one is asked for again', async () => {
  const vendor = await asked([
    'mixpanl',
    'mixpanel',
    '2024-13-01..',
    '2024-01-01..',
    'my store',
    'mars',
    'eu',
  ])
  expect(vendor.error).toBeUndefined()
  // What is wrong with an answer is said behind the question's own sign: nobody typed a line end here.
  expect(vendor.shown.match(/> {3}\S/g)).toHaveLength(3)
  expect(vendor.migration).toMatchObject({
    source: { vendor: 'mixpanel', from: Date.UTC(2024, 0, 1), to: undefined },
    store: { at: 'my store' },
    target: { region: 'eu' },
    isScheduled: true,
  })
  const files = await asked(['files', '"a b.ndjson" c/*.json', 'segment', 'store', 'https://ph.example.com'])
  expect(files.migration).toMatchObject({
    source: { files: ['a b.ndjson', 'c/*.json'] },
    target: { host: 'https://ph.example.com' },
  })
})

test('without all answers nothing is written, and it is no success', async () => {
  const ended = await asked(['files'], 'end')
  expect(ended).toMatchObject({ error: { code: 'usage' }, migration: undefined })
  const stopped = await asked(['files'], 'interrupt')
  expect(stopped).toMatchObject({ error: { code: 'interrupted' }, migration: undefined })
})

test('a file that is there is left as it is: it may hold a day of work', async () => {
  const file = join(testFolder(), 'migration.yaml')
  writeFileSync(file, 'mine')
  const said = {
    ...UNSAID,
    source: 'files' as const,
    in: ['a.ndjson'],
    preset: 'segment',
    store: 'store',
    region: 'eu' as const,
  }
  const io = { stdin: new PassThrough(), stderr: new PassThrough(), env: {}, argv: ['run', '--init', file] }
  await expect(initMigration(file, said, io as unknown as Io)).rejects.toMatchObject({
    code: 'usage',
    message: `${file} is there already, and was left as it is`,
  })
  expect(readFileSync(file, 'utf8')).toBe('mine')
})
