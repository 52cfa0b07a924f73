import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** An empty folder that goes away with the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthaul-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** An empty folder that goes away with the test file. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthaul-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
