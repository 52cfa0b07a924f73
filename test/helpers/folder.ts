import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** A process that was just killed may still close a file in it. */
const REMOVED = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 } as const

/** An empty folder that goes away with the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthaul-test-'))
  onTestFinished(() => rmSync(folder, REMOVED))
  return folder
}

/** An empty folder that goes away with the test file. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthaul-test-'))
  afterAll(() => rmSync(folder, REMOVED))
  return folder
}
