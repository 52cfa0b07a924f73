import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Mutation } from './mutation.ts'

const run = promisify(execFile)

/** What a test run said. */
export interface Outcome {
  readonly passed: number
  readonly failed: number
}

/** A copy of the repository's files, as they are now, in a folder of its own: the checkout itself is never changed. */
export class Copy {
  readonly #folder: string
  /** False if `dist` is not what the sources make. */
  #isBuilt = false

  constructor(root: string) {
    this.#folder = mkdtempSync(join(tmpdir(), 'posthaul-mutations-'))
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
    })
    for (const path of listed.split('\0').filter(Boolean)) cpSync(join(root, path), join(this.#folder, path))
    symlinkSync(join(root, 'node_modules'), join(this.#folder, 'node_modules'))
    // The page of the studio, which no mutation changes.
    cpSync(join(root, 'dist/web'), join(this.#folder, 'dist/web'), { recursive: true })
  }

  /** Runs one test of the sources with a break in them, or as they are. */
  async try({ file, find, replace, test }: Mutation, isBroken: boolean): Promise<Outcome> {
    const path = join(this.#folder, file)
    const whole = readFileSync(path, 'utf8')
    if (whole.split(find).length !== 2) throw new Error(`stale: not exactly once in ${file}: ${find}`)
    // A function, since `$` means something in a replacement text.
    if (isBroken)
      writeFileSync(
        path,
        whole.replace(find, () => replace),
      )
    try {
      if (test.built && (isBroken || !this.#isBuilt)) await this.#build(!isBroken)
      return await this.#test(test.file, test.name)
    } finally {
      writeFileSync(path, whole)
    }
  }

  /** Compiles the sources. A break may be an error of types; it is built all the same. */
  async #build(isWhole: boolean): Promise<void> {
    this.#isBuilt = false
    const compiling = run('npx', ['tsc', '-p', 'tsconfig.build.json'], { cwd: this.#folder })
    await (isWhole ? compiling : compiling.catch(() => undefined))
    this.#isBuilt = isWhole
  }

  async #test(file: string, name: string): Promise<Outcome> {
    const report = join(this.#folder, 'mutation-report.json')
    rmSync(report, { force: true })
    const pattern = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const projects = ['unit', 'mocked', 'walks', 'slow', 'alone', 'faults'].flatMap((name) => [
      '--project',
      name,
    ])
    const reporters = ['--reporter', 'json', '--outputFile', report]
    // A red test is what is hoped for: the report says which it was.
    await run('npx', ['vitest', 'run', file, '-t', pattern, ...projects, ...reporters], {
      cwd: this.#folder,
      maxBuffer: 1 << 26,
    }).catch(() => undefined)
    const told = JSON.parse(readFileSync(report, 'utf8')) as {
      readonly numPassedTests: number
      readonly numFailedTests: number
      readonly numTotalTests: number
      readonly success: boolean
    }
    // A test that fails in its preparation leaves a run without success and without a failed test.
    const failed = told.numFailedTests || (told.success || told.numTotalTests === 0 ? 0 : 1)
    return { passed: told.numPassedTests, failed }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
