import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { countedDataset } from '../helpers/counted-dataset.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'
import { fileSandbox, sandboxEnv } from '../helpers/sandbox-env.ts'
import { unfolded } from '../helpers/unfolded.ts'

const sandbox = await fileSandbox()
const env = sandboxEnv(sandbox)

const dataset = () => countedDataset(join(testFolder(), 'events'), { '2024-03-01': { signup: 2 } })

async function fileOf(first: number): Promise<string> {
  const path = join(testFolder(), 'events.ndjson')
  await writeFile(path, [0, 1].map((n) => `${eventLine(makeEvent(first + n))}\n`).join(''))
  return path
}

/** What a script gets of a failure. */
function failure(command: string, code: string, finding: string | null = null) {
  const hint = expect.toSatisfy((value: unknown) => value === null || typeof value === 'string')
  return { version: 1, command, finished: false, error: { code, finding, message: expect.any(String), hint } }
}

describe('with --json, a command that has nothing to sum up prints the error as one object', () => {
  const WRONG = { POSTHOG_PERSONAL_API_KEY: 'phx_not_known_there' }
  test.each([
    ['import', { POSTHOG_PROJECT_API_KEY: 'phc_of_another_project' }, ['import', '--dataset', '…']],
    ['verify', WRONG, ['verify', '…']],
    ['groups export', WRONG, ['groups', 'export', '--all-types', '--out', '…/groups']],
    ['export', {}, ['export', 'mixpanel', '--from', '2024-03-01', '--out', '…/raw']],
  ])('%s, of a refused key', async (command, more, words) => {
    const folder = await dataset()
    const argv = [...words.map((word) => word.replace('…', folder)), '--json']
    const { code, stdout, stderr } = await runCommand(argv, { env: { ...env, ...more } })
    // Of an import a guard finds it.
    const [exit, error] =
      command === 'import' ? [3, failure(command, 'found', 'key_mismatch')] : [4, failure(command, 'auth')]
    expect(code, stderr).toBe(exit)
    expect(JSON.parse(stdout)).toEqual(error)
    expect(unfolded(stderr)).toContain(`posthaul: ${JSON.parse(stdout).error.message}`)
  })

  test('import, of another file than its checkpoint was made from', async () => {
    const [path, other] = [await fileOf(0), await fileOf(50)]
    expect((await runCommand(['import', '--file', path], { env })).code).toBe(0)
    const argv = ['import', '--file', other, '--checkpoint', `${path}.checkpoint.json`, '--json']
    const { code, stdout } = await runCommand(argv, { env })
    expect(code).toBe(6)
    expect(JSON.parse(stdout)).toEqual(failure('import', 'mismatch'))
  })

  test.each([
    [['status', '--file', 'nowhere.ndjson']],
    [['check', 'nowhere']],
    [['verify', 'nowhere']],
    [['import', '--file', 'nowhere.ndjson']],
    [['transform', '--preset', 'mixpanel', '--in', 'nowhere', '--dry-run']],
  ])('%j, of an input that is not there', async (argv) => {
    const { code, stdout } = await runCommand([...argv, '--json'], { env })
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toEqual(failure(argv[0]!, 'input'))
  })
})

test.each([
  ['the command line', ['import'], {}],
  ['an option', ['import', '--file', 'x', '--lanes', '0'], {}],
  ['an option that does not exist', ['verify', 'x', '--jsn'], {}],
  [
    'the settings',
    ['import', '--file', 'fixtures/heap/walk/warehouse/order_completed.ndjson'],
    { POSTHOG_HOST: '', POSTHOG_INGEST_HOST: '' },
  ],
])('a mistake in %s leaves stdout empty', async (_, argv, more) => {
  const { code, stdout } = await runCommand([...argv, '--json'], { env: { ...env, ...more } })
  expect([code, stdout]).toEqual([2, ''])
})

test('without --json stdout stays empty', async () => {
  expect(await runCommand(['check', 'nowhere'])).toMatchObject({ code: 2, stdout: '' })
})
