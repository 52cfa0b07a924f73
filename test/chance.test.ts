import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const FILES = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.(?:ts|mjs)$/.test(name) && !/(?:^|\/)dist\/|^chance\.test/.test(name),
)

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
