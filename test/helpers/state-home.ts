import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach } from 'vitest'

/*
 * The ledger of what all imports delivered is in the user's home. Each test gets one of its own, so that no test counts
 * what another has sent, and the home of who runs the tests stays as it is.
 */
const root = mkdtempSync(join(tmpdir(), 'posthaul-state-'))
let tests = 0

function next(): void {
  process.env.XDG_STATE_HOME = join(root, String(tests++))
}

next()

beforeEach(next)
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** What the environment of every command in a test has. */
export function stateHome(): Record<string, string> {
  return { XDG_STATE_HOME: process.env.XDG_STATE_HOME! }
}
