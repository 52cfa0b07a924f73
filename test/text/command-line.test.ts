import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { continueCommand } from '../../src/text/command-line.ts'

test.each(['plain.ndjson', "it's here", 'a\nb', 'esc\x1b[2J', 'c1\x9bm', "back\\slash 'and'\n", 'Zoë'])(
  '%j is printed so that a shell reads it back, and a terminal obeys nothing',
  (word) => {
    const line = continueCommand([word])
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    const read = execFileSync('bash', ['-c', line.replace(/^posthaul/, 'printf %s')], { encoding: 'utf8' })
    expect(read).toBe(word)
  },
)
