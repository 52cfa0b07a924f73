import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { makeHistory } from '../../src/commands/demo/demo-history.ts'
import { makeFolder } from '../helpers/folder.ts'
import { blocksOf, ROOT } from '../helpers/markdown.ts'
import { fileSandbox, sandboxEnv } from '../helpers/sandbox-env.ts'
import { stateHome } from '../helpers/state-home.ts'

const run = promisify(execFile)
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

const CASES = {
  'valid/view.json': {
    about: 'A page view of a member of a company.',
    input: '{"id":1,"kind":"view","who":"u1","at":"2024-03-01T12:00:00Z","company":"acme","data":{"n":1.0}}',
    expected: [
      '{"uuid":"4bc50c1b-67c9-5526-ba89-8daa3e3e31a0","timestamp":"2024-03-01T12:00:00.000000Z","event":"$pageview","distinct_id":"u1","properties":{"distinct_id":"u1","n":1.0,"$groups":{"company":"acme"},"$geoip_disable":true,"$lib":"posthaul","$lib_version":"0.0.0","analytics_source":"acme"}}',
    ],
  },
  'invalid/no-name.json': {
    about: 'A record without a name.',
    input: '{"id":1,"who":"u1","at":"2024-03-01T12:00:00Z"}',
    reason: 'event_missing',
  },
}

/** Where the programs of the page are, compiled, beside what they read. */
const folder = makeFolder()
const sandbox = await fileSandbox()
for (const name of ['node_modules', 'raw', 'fixtures/valid', 'fixtures/invalid'])
  mkdirSync(join(folder, name), { recursive: true })
symlinkSync(ROOT, join(folder, 'node_modules/posthaul'))
symlinkSync(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'))
writeFileSync(join(folder, 'raw/history.ndjson'), `${makeHistory(100, 3).join('\n')}\n`)
for (const [name, one] of Object.entries(CASES))
  writeFileSync(join(folder, 'fixtures', name), JSON.stringify(one))
for (const { language, text } of ['docs/library.md', 'docs/presets.md'].flatMap(blocksOf)) {
  const [, name] = /^\/\/ (\S+)\n/.exec(text) ?? []
  if (language === 'ts' || language === 'js') writeFileSync(join(folder, name!), text)
}
writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
writeFileSync(
  join(folder, 'tsconfig.json'),
  JSON.stringify({
    compilerOptions: {
      target: 'es2023',
      lib: ['es2023'],
      module: 'nodenext',
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      allowJs: true,
      checkJs: true,
      outDir: 'out',
      rootDir: '.',
    },
    include: ['*.ts', '*.mjs'],
  }),
)

async function program(name: string): Promise<string[]> {
  const { stdout } = await run(process.execPath, [join(folder, 'out', name)], {
    cwd: folder,
    env: { ...stateHome(), ...sandboxEnv(sandbox) },
  })
  return stdout.trimEnd().split('\n')
}

test('the programs of the page compile against the declarations of the package', async () => {
  await run(process.execPath, [TSC, '-p', folder]).catch((error: { stdout: string }) => {
    throw new Error(error.stdout)
  })
})

test('a program sends history', async () => {
  expect(await program('capture.js')).toEqual(['4 of 4 delivered, every one accounted for: true'])
  const again = await program('capture.js')
  // The orders have ids of their own, so their second coming is no second event.
  expect(again).toEqual(['8 of 8 delivered, every one accounted for: true'])
  const { results } = await sandbox.query("select count() from events where event = 'order paid'")
  expect(Number(results[0]![0])).toBe(2)
})

test('a program migrates files, and proves it', async () => {
  const lines = await program('migrate.js')
  expect(lines.at(-1)).toBe('all of it arrived')
})

test('a program makes events of records', async () => {
  expect(await program('stream.js')).toEqual([
    expect.stringMatching(/^signed up u1 2023-05-02T04:00:00\.000000Z \d+$/),
    'record 2: timestamp_missing',
    '2 records: 1 events, 1 rejected',
  ])
})

test('a preset of one’s own passes its fixtures, and runs from the command line', async () => {
  expect(await program('preset-test.js')).toEqual([
    'valid/view: as expected',
    'invalid/no-name: as expected',
    '1 event arrived',
  ])
  const raw = join(folder, 'acme.ndjson')
  writeFileSync(raw, `${CASES['valid/view.json'].input}\n`)
  const argv = ['transform', '--preset', './acme.mjs', '--in', raw, '--out', 'acme-events']
  await run(process.execPath, [join(ROOT, 'bin/posthaul.js'), ...argv], { cwd: folder, env: stateHome() })
  const { source } = JSON.parse(readFileSync(join(folder, 'acme-events/manifest.json'), 'utf8'))
  expect(source).toMatchObject({
    preset: './acme.mjs',
    preset_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
})
