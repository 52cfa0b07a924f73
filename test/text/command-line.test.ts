import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { withoutRestart, withoutWebhook } from '../../src/text/command-line.ts'
import { posthaulLine } from '../../src/text/shell-word.ts'

test.each(['plain.ndjson', "it's here", 'a\nb', 'esc\x1b[2J', 'c1\x9bm', "back\\slash 'and'\n", 'Zoë'])(
  '%j is printed so that a shell reads it back, and a terminal obeys nothing',
  (word) => {
    const line = posthaulLine([word])
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    const read = execFileSync('bash', ['-c', line.replace(/^posthaul/, 'printf %s')], { encoding: 'utf8' })
    expect(read).toBe(word)
  },
)

test('a command line that is shown or kept has no address that is told of a run', () => {
  const argv = [
    'run',
    '--notify-webhook',
    'https://chat.example/secret',
    '--json',
    '--notify-webhook=https://chat.example/secret',
  ]
  expect(withoutWebhook([...argv, 'migration.yaml'])).toEqual(['run', '--json', 'migration.yaml'])
})

test('a command line that goes on does nothing over that is done once', () => {
  const once = ['--restart', '--new-migration', '--steal-lock']
  expect(withoutRestart(['import', 'events', ...once, '--lanes', '2'])).toEqual([
    'import',
    'events',
    '--lanes',
    '2',
  ])
})
