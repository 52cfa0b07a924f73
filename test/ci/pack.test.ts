import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { signalWhen, startProgram } from '../helpers/cli-process.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { exits } from '../helpers/exits.ts'
import { makeFolder } from '../helpers/folder.ts'
import { byNpx, bytesIn, nodesOf, npm, type Packed, packIn, runIn } from '../helpers/packed.ts'
import { writeParquet } from '../helpers/parquet.ts'
import { isNear, saidSize } from '../helpers/said-size.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { unfolded } from '../helpers/unfolded.ts'
import { makeZip } from '../helpers/zip.ts'

/*
 * The package as a user gets it: packed from a copy of this checkout, installed by npm elsewhere, with and without its
 * optional part, and run by the oldest Node that package.json names and by the newest one. pack.night.test.ts tries those
 * between them.
 */
const ROOT = join(import.meta.dirname, '../..')
const NODES = ['20.18.1', '26.10.0']
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly engines: { readonly node: string }
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
  readonly scripts: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
}
const EVENTS = 60
const LINES = Array.from({ length: EVENTS }, (_, n) => `${eventLine(makeEvent(n))}\n`).join('')

const folder = makeFolder()
let packed: Packed
/** Projects with the package: one by npx, without DuckDB; one that got that by the command that posthaul says. */
let bare: string
let whole: string
/** What both of its names printed. */
let printed: string
let nodes: Readonly<Record<string, string>>

async function installed(): Promise<void> {
  packed = await packIn(folder)
  writeFileSync(join(folder, 'events.ndjson'), LINES)
  const call = 'posthaul --version && tool import --file events.ndjson --dry-run'
  const ran = await byNpx(packed.tarball, folder, { flags: ['--omit=optional'], call })
  ;[bare, printed] = [ran.project, ran.printed]
  writeFileSync(join(bare, 'events.ndjson'), LINES)
  whole = join(folder, 'whole')
  cpSync(bare, whole, { recursive: true, verbatimSymlinks: true })
  const { stderr } = await runIn(whole, 'posthaul', ['demo'])
  const [, command] = /^ {2}install it: npm (.*)$/m.exec(stderr)!
  await npm(command!.split(' '), whole)
}

beforeAll(async () => {
  const [found] = await Promise.all([nodesOf(NODES, join(folder, 'nodes')), installed()])
  nodes = found
})

describe('the package', () => {
  test('holds what runs and what explains it, and nothing that is left over', () => {
    const paths = packed.files.map(({ path }) => path)
    const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    const needed = [
      ...Object.values(MANIFEST.exports).flatMap((entry) =>
        typeof entry === 'string' ? entry : Object.values(entry),
      ),
      ...Object.values(MANIFEST.bin),
      ...['README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md'],
      ...['report.js', 'studio/index.html', 'studio/studio.js', 'studio/studio.css'].map(
        (name) => `dist/web/${name}`,
      ),
      ...pages.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
    ]
    expect(paths).toEqual(expect.arrayContaining(needed.map((path) => path.replace(/^\.\//, ''))))
    const kinds =
      /^(bin|dist)\/.*\.js$|^dist\/.*\.d\.ts$|^dist\/web\/studio\/(index\.html|studio\.css)$|\.md$|^docs\/sql\/.*\.sql$|\.schema\.json$|^(LICENSE|package\.json)$|^(deploy|completions)\//
    expect(paths.filter((path) => !kinds.test(path))).toEqual([])
    // Each file takes its time to be unpacked, and to be found.
    expect(paths.length).toBeLessThan(300)
    expect(paths.filter((path) => path.startsWith('test/'))).toEqual([])
    // So nothing is packed that a source was compiled to which is gone.
    expect(MANIFEST.scripts).toMatchObject({ build: expect.stringMatching(/^node scripts\/clean\.js &&/) })
    for (const { path, mode } of packed.files)
      expect([path, mode & 0o111]).toEqual([path, path.startsWith('bin/') ? 0o111 : 0])
  })

  test('runs nothing when it is installed, and its exports and types resolve as modules', async () => {
    const manifest = JSON.parse(readFileSync(join(bare, 'node_modules/posthaul/package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    expect(
      Object.keys(manifest.scripts).filter((name) => /install$|^(pre|post)?prepare$/.test(name)),
    ).toEqual([])
    for (const [name, ...words] of [
      ['publint', 'run', packed.tarball, '--strict'],
      ['attw', packed.tarball, '--profile', 'esm-only'],
    ] as const) {
      const tool = startProgram(join(ROOT, 'node_modules/.bin', name), words, { cwd: folder })
      const { code, stdout, stderr } = await tool.ended
      expect([name, code, stdout + stderr]).toEqual([name, 0, expect.any(String)])
    }
  })

  test('is as large as README says, and less than half as large where DuckDB is left out', () => {
    const [without, all] = [bytesIn(join(bare, 'node_modules')), bytesIn(join(whole, 'node_modules'))]
    expect(without).toBeLessThan(all / 2)
    const sizes = {
      'the tarball': packed.size,
      'installed without DuckDB': without,
      'installed with DuckDB': all,
    }
    for (const [what, bytes] of Object.entries(sizes))
      expect(saidSize(what), what).toSatisfy((said: number) => isNear(said, bytes / 1e6))
  })

  test('npx runs both of its names out of the tarball', () => {
    expect(printed).toMatch(new RegExp(`^${MANIFEST.version}\\n(?:.*\\n)+`))
  })
})

describe('a program', () => {
  // attw, above, resolves the entries as bundlers do too.
  test('compiles against it, strictly', async () => {
    const place = join(bare, 'compiled')
    mkdirSync(place)
    const entries = Object.entries(MANIFEST.exports).filter(([, entry]) => typeof entry !== 'string')
    const names = entries.map(([name]) => name.replace(/^\./, 'posthaul'))
    writeFileSync(
      join(place, 'program.ts'),
      [
        ...names.map((name, n) => `import * as entry${n} from '${name}'`),
        ...names.map((_, n) => `export const all${n}: object = entry${n}`),
        "import { importEvents, PosthaulError, VERSION } from 'posthaul'",
        'export const version: string = VERSION',
        'export const exit = (error: PosthaulError): number => error.exitCode',
        '// @ts-expect-error: a number is no request, which shows that the types are there',
        'export const wrong = importEvents(1)',
      ].join('\n'),
    )
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      target: 'es2022',
      module: 'node16',
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    }
    writeFileSync(join(place, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    const tsc = startProgram(join(ROOT, 'node_modules/.bin/tsc'), ['--checkers', '1'], { cwd: place })
    const { code, stdout } = await tsc.ended
    expect([code, stdout]).toEqual([0, ''])
  })

  test('loads each of its entries without DuckDB', async () => {
    const loads = Object.entries(MANIFEST.exports)
      .filter(([, entry]) => typeof entry !== 'string')
      .map(([name]) => `await import('${name.replace(/^\./, 'posthaul')}')`)
    const { code, stderr } = await startProgram(
      process.execPath,
      ['--input-type=module', '--eval', loads.join('\n')],
      { cwd: bare },
    ).ended
    expect([code, stderr]).toEqual([0, ''])
  })
})

describe('without DuckDB', () => {
  test('all else works', async () => {
    expect(await runIn(bare, 'posthaul', ['--version'])).toMatchObject({
      code: 0,
      stdout: `${MANIFEST.version}\n`,
    })
    const dry = await runIn(bare, 'tool', ['import', '--file', 'events.ndjson', '--dry-run', '--json'])
    expect([dry.code, JSON.parse(dry.stdout).counts.read], dry.stderr).toEqual([0, EVENTS])
    await exits(
      0,
      runIn(bare, 'posthaul', 'transform --preset posthog --in events.ndjson --out events'.split(' ')),
    )
    const checked = await runIn(bare, 'posthaul', ['check', 'events', '--json'])
    expect([checked.code, JSON.parse(checked.stdout).events], checked.stderr).toEqual([0, EVENTS])
    await exits(0, runIn(bare, 'posthaul', ['sandbox', '--help']))
  })

  test.each([
    ['demo'],
    ['sandbox'],
    ['transform', '--preset', 'posthog', '--in', 'rows.parquet', '--out', 'parquet-events'],
  ])('%s says what to install, before it does anything', async (...argv) => {
    await writeParquet(join(bare, 'rows.parquet'), "SELECT 'a' AS event")
    const before = readdirSync(bare)
    const { code, stdout, stderr } = await runIn(bare, 'posthaul', argv)
    expect([code, stdout, readdirSync(bare)]).toEqual([2, '', before])
    expect(unfolded(stderr)).toContain(
      "needs DuckDB, an optional part of posthaul, which can't be loaded here",
    )
  })
})

describe.each(NODES)('on Node %s', (version) => {
  const posthaul = (argv: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) =>
    startProgram(nodes[version]!, [join(whole, 'node_modules/posthaul/bin/posthaul.js'), ...argv], {
      cwd,
      env,
    })

  test('a history goes the whole way: transform, sandbox, import, verify', async () => {
    const { code, stdout, stderr } = await posthaul(['demo', '--events', '300'], folder).ended
    expect(code, stdout + stderr).toBe(0)
  })

  test('packed files of each kind are read', async () => {
    const place = join(folder, `inputs-${version}`)
    mkdirSync(place)
    const files = {
      'lines.ndjson.gz': gzipSync(LINES),
      'lines.ndjson.br': brotliCompressSync(LINES),
      'lines.zip': makeZip([{ name: 'lines.ndjson', data: Buffer.from(LINES) }]),
    }
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(place, name), bytes)
    writeFileSync(join(place, 'lines.ndjson'), LINES)
    await writeParquet(join(place, 'rows.parquet'), `SELECT * FROM read_json('${place}/lines.ndjson')`)
    const argv = ['transform', '--preset', 'posthog', '--in', '.', '--out', `../events-${version}`, '--json']
    const { stdout } = await exits(0, posthaul(argv, place).ended)
    expect(JSON.parse(stdout).counts).toMatchObject({
      read: 5 * EVENTS,
      written: EVENTS,
      duplicate: 4 * EVENTS,
    })
  })

  test('SIGTERM ends an import in order, and the same command line goes on', async () => {
    const place = join(folder, `drain-${version}`)
    mkdirSync(place)
    writeFileSync(join(place, 'events.ndjson'), LINES)
    const sandbox = await startSandbox()
    try {
      const slowly = ['import', '--file', 'events.ndjson', '--batch-events', '1', '--max-events-per-minute']
      const slow = posthaul([...slowly, '600'], place, sandboxEnv(sandbox))
      await exits(
        143,
        signalWhen(slow, 'SIGTERM', () => sandbox.stats().requests > 0),
      )
      const rest = await posthaul([...slowly, '10000', '--json'], place, sandboxEnv(sandbox)).ended
      expect([rest.code, JSON.parse(rest.stdout).counts], rest.stderr).toMatchObject([
        0,
        { read: EVENTS, written: EVENTS },
      ])
      expect(sandbox.stats().events).toBe(EVENTS)
    } finally {
      await sandbox.close()
    }
  })
})

test('the oldest Node that is tried is the oldest that package.json names', () => {
  expect(MANIFEST.engines.node).toBe(`>=${NODES[0]}`)
})
