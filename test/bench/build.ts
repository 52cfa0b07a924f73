import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** A checkout of posthaul that `npm run build` was run in. */
export interface Build {
  /** Short. */
  readonly commit: string
  /** Of the checkout. */
  readonly folder: string
  /** What node runs. */
  readonly program: string
}

/** The build in the folder of a checkout. Throws if there is none. */
export function buildIn(folder: string): Build {
  const program = resolve(folder, 'bin/posthaul.js')
  if (!existsSync(join(folder, 'dist'))) throw new Error(`${folder} has no build: npm run build makes one`)
  const revision = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: folder, encoding: 'utf8' })
  return { commit: revision.trim(), folder: resolve(folder), program }
}

/**
 * Compiles a build once more, into the folder `into`, with a file for each module: `npm run build` puts those of a worker
 * into one, and a profile tells stages apart by their files.
 */
export function inModules(build: Build, into: string): Build {
  const { folder } = build
  mkdirSync(into, { recursive: true })
  const tsc = join(folder, 'node_modules/typescript/bin/tsc')
  const args = [tsc, '-p', join(folder, 'tsconfig.build.json'), '--outDir', join(into, 'dist')]
  execFileSync(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  for (const name of ['bin', 'package.json'])
    cpSync(join(folder, name), join(into, name), { recursive: true })
  symlinkSync(join(folder, 'node_modules'), join(into, 'node_modules'))
  return { ...build, folder: into, program: join(into, 'bin/posthaul.js') }
}
