import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** What git tracks, or would: not what was built or installed below. */
const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: import.meta.dirname,
  encoding: 'utf8',
})
  .split('\n')
  .filter((name) => /\.(?:ts|mjs)$/.test(name) && name !== 'chance.test.ts')

/** A test that turns red by an unlucky draw says nothing about the change that it was run for. */
test('nothing is left to chance but by a seed', () => {
  for (const name of FILES) {
    const text = readFileSync(new URL(name, import.meta.url), 'utf8')
    expect(text, name).not.toMatch(/\bMath\.random\(|Date\.now\(\) % (?!1_000_000\b)/)
    const [, ...draws] = text.split(/\bfc\.(?:assert|check|sample)\(/)
    // `runs` are the options of all draws of a file.
    for (const draw of draws) expect(draw, name).toMatch(/[{,] seed(?: ?[:,]| })|\bruns\b/)
  }
})
