import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** A process that was just killed may still close a file in it. */
const REMOVED = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 } as const

/** An empty folder that goes away with the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthaul-test-'))
  onTestFinished(() => rmSync(folder, REMOVED))
  return folder
}

/** A folder with these files, which goes away with the test; what is neither text nor bytes is written as JSON. */
export function folderOf(files: Readonly<Record<string, object | string>>): string {
  const folder = testFolder()
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    const isWritten = typeof content === 'string' || Buffer.isBuffer(content)
    writeFileSync(join(folder, name), isWritten ? content : JSON.stringify(content))
  }
  return folder
}

/** An empty folder that goes away with the test file. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthaul-test-'))
  afterAll(() => rmSync(folder, REMOVED))
  return folder
}
