import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'

/** ClickHouse 26.7. */
const PACKAGE = 'chdb@3.4.0'
/** Names the folder of a run's chDB. One that is set already, with chDB in its node_modules, is used as it is. */
const VARIABLE = 'POSTHAUL_TEST_CHDB'

/** The global set-up of the projects that use chDB: its 546 MB are installed once for all files of a run, when the first asks. */
export default function setup(): (() => void) | undefined {
  if (process.env[VARIABLE] !== undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'posthaul-chdb-'))
  process.env[VARIABLE] = folder
  return () => {
    delete process.env[VARIABLE]
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The folder that chDB, which is no dependency, is installed in. */
export async function chdbFolder(): Promise<string> {
  const folder = process.env[VARIABLE]
  if (folder === undefined) throw new Error('chDB is there for the projects ci and night')
  const [begun, ended] = [join(folder, 'begun'), join(folder, 'ended')]
  if (!existsSync(begun) && existsSync(join(folder, 'node_modules', 'chdb'))) return folder
  if (isFirst(begun)) {
    const install = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, PACKAGE]
    await promisify(execFile)('npm', install, { cwd: folder }).finally(() => writeFileSync(ended, ''))
  }
  // Another process of the run installs it.
  while (!existsSync(ended)) await wait(200)
  return folder
}

/** True for the first process that asks. */
function isFirst(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch {
    return false
  }
}
