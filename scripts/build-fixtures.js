// Writes the fixtures of all presets into one file of the package, which is faster to unpack than 500.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runnerImport } from 'vite'

const root = join(import.meta.dirname, '..')
const source = async (name) => (await runnerImport(join(root, 'src', name), { logLevel: 'error' })).module
const { PRESET_NAMES } = await source('presets/index.ts')
const { readSuite } = await source('mapping-tests/read-suite.ts')

const suites = PRESET_NAMES.map((name) => [name, readSuite(join(root, 'fixtures', name))])
writeFileSync(join(root, 'dist/fixtures.json'), `${JSON.stringify(Object.fromEntries(suites))}\n`)
