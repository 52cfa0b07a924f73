import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Ended, startProgram } from './cli-process.ts'

const ROOT = join(import.meta.dirname, '../..')
/** What no package may need: what is made here, and what is only for who changes posthaul. */
const ELSEWHERE = ['node_modules', 'dist', '.git', 'test', 'fixtures']

/** What `npm pack --json` says of a package. */
export interface Packed {
  readonly tarball: string
  /** Bytes of the tarball. */
  readonly size: number
  readonly files: ReadonlyArray<{ readonly path: string; readonly mode: number }>
}

/** Runs npm, from its cache where that has what is asked for. Throws what npm said if it failed. */
export async function npm(argv: readonly string[], cwd: string): Promise<string> {
  const settings = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--no-update-notifier']
  const [command, ...words] = argv
  const { code, stdout, stderr } = await startProgram('npm', [command!, ...quiet, ...words], {
    cwd,
    env: Object.fromEntries(settings),
  }).ended
  if (code !== 0) throw new Error(`npm ${argv.join(' ')}: ${stderr}${stdout}`)
  return stdout
}

async function inShell(line: string, cwd: string): Promise<void> {
  const { code, stderr } = await startProgram('sh', ['-c', line], { cwd }).ended
  if (code !== 0) throw new Error(`${line}: ${stderr}`)
}

/**
 * A copy of this checkout, without what was built, installed or is only tested: the packages that its compiler needs are
 * this checkout's own.
 */
function checkoutIn(folder: string): string {
  const copy = join(folder, 'checkout')
  mkdirSync(copy)
  for (const name of readdirSync(ROOT).filter((name) => !ELSEWHERE.includes(name)))
    cpSync(join(ROOT, name), join(copy, name), { recursive: true })
  return copy
}

/**
 * Packs a copy of this checkout, as `npm publish` does but for the compiler: what it made for the other tests is packed.
 * dockerfile.night.test.ts builds from a copy.
 */
export async function packIn(folder: string): Promise<Packed> {
  const copy = checkoutIn(folder)
  cpSync(join(ROOT, 'dist'), join(copy, 'dist'), { recursive: true })
  const manifest = join(copy, 'package.json')
  const before = readFileSync(manifest, 'utf8')
  const { scripts } = JSON.parse(before) as { scripts: Readonly<Record<'prepack' | 'postpack', string>> }
  await inShell(scripts.prepack.replace('npm run build && ', ''), copy)
  const said = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], copy)
  await inShell(scripts.postpack, copy)
  if (readFileSync(manifest, 'utf8') !== before) throw new Error('npm pack changes package.json for good')
  const [packed] = JSON.parse(said) as [Omit<Packed, 'tarball'> & { filename: string }]
  return { ...packed, tarball: join(folder, packed.filename) }
}

/** A project that has the package, and nothing else. */
export async function projectWith(
  tarball: string,
  folder: string,
  flags: readonly string[],
): Promise<string> {
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: basename(folder), private: true }))
  await npm(['install', ...flags, tarball], folder)
  return folder
}

/** Runs a line of the package's programs by npx. Resolves to what it printed, and the project that npx made for that. */
export async function byNpx(
  tarball: string,
  folder: string,
  { flags, call }: { readonly flags: readonly string[]; readonly call: string },
): Promise<{ readonly printed: string; readonly project: string }> {
  // What npx installs stays here; what it fetches is kept where the user's npm has it.
  const usual = (await npm(['config', 'get', 'cache'], folder)).trim()
  const cache = join(folder, 'cache')
  mkdirSync(cache)
  symlinkSync(join(usual, '_cacache'), join(cache, '_cacache'))
  const words = ['--yes', ...flags, '--cache', cache, '--package', tarball, '--call', call]
  const printed = await npm(['exec', ...words], folder)
  const [name] = readdirSync(join(cache, '_npx'))
  return { printed, project: join(cache, '_npx', name!) }
}

/** Runs a program of a project by its name, in the project. */
export function runIn(project: string, name: string, argv: readonly string[]): Promise<Ended> {
  return startProgram(join(project, 'node_modules/.bin', name), argv, { cwd: project }).ended
}

/** Nodes of these versions, out of what npm has of them: version -> its file. The thousands of files beside it stay packed. */
export async function nodesOf(
  versions: readonly string[],
  folder: string,
): Promise<Readonly<Record<string, string>>> {
  mkdirSync(folder)
  const name = `node-${process.platform}-${process.arch}`
  await npm(['pack', '--silent', ...versions.map((version) => `${name}@${version}`)], folder)
  const unpacked = versions.map(async (version) => {
    mkdirSync(join(folder, version))
    await inShell(`tar -xzf '${name}-${version}.tgz' -C '${version}' package/bin/node`, folder)
    return [version, join(folder, version, 'package/bin/node')] as const
  })
  return Object.fromEntries(await Promise.all(unpacked))
}

/** Bytes of all files below a folder. */
export function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).size, 0)
}
