import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach } from 'vitest'

/*
 * Each test file has a folder of its own in place of the machine's temporary one, for itself and for the commands that it
 * starts. So what a test, or a command that a test kills, leaves behind goes away with the file. vitest.config.ts says in
 * POSTHAUL_TEST_FOLDER where it is, if not in the machine's temporary one.
 *
 * The ledger of what all imports delivered is in the user's home. Each test gets one of its own, so that no test counts
 * what another has sent, and the home of who runs the tests stays as it is.
 */
const machine = process.env.TMPDIR
const root = mkdtempSync(join(process.env.POSTHAUL_TEST_FOLDER ?? tmpdir(), 'posthaul-tests-'))
// Some commands run as another user.
chmodSync(root, 0o755)
mkdirSync(join(root, 'tmp'))
chmodSync(join(root, 'tmp'), 0o1777)
process.env.TMPDIR = join(root, 'tmp')
let tests = 0

function next(): void {
  process.env.XDG_STATE_HOME = join(root, String(tests++))
}

next()

beforeEach(next)
afterAll(() => {
  // The next file of this worker begins from the machine's own again.
  if (machine === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = machine
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
})

/** What the environment of every command in a test has. Asked of the environment: files of one process share this module. */
export function stateHome(): Record<string, string> {
  const { XDG_STATE_HOME, TMPDIR } = process.env
  return { XDG_STATE_HOME: XDG_STATE_HOME!, TMPDIR: TMPDIR! }
}
