import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BENCH, ROOT } from './paths.ts'

/** True when the package can be imported from here. */
export function hasPeer(name: string): boolean {
  return folderOf(name) !== undefined
}

/** The version that is installed, for the report. */
export function peerVersion(name: string): string {
  const folder = folderOf(name)
  if (folder === undefined) return 'not installed'
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version
}

/** Installs the packages that posthaul is measured against, in the bench's own folder, unless they are there. */
export function installPeers(say: (text: string) => void): void {
  if (existsSync(join(BENCH, 'node_modules/mixpanel-import'))) return
  say('installing what posthaul is measured against (test/bench/node_modules)')
  execFileSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--loglevel=error'],
    {
      cwd: BENCH,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
}

function folderOf(name: string): string | undefined {
  return [BENCH, ROOT].map((base) => join(base, 'node_modules', name)).find(existsSync)
}
