import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TransformResult } from '../../../src/commands/results.ts'
import { runCommand } from '../../helpers/command.ts'
import { testFolder } from '../../helpers/folder.ts'
import { byDay } from '../../helpers/kills.ts'
import { sandboxEnv, testSandbox } from '../../helpers/sandbox-env.ts'
import { LISTS } from './lists.ts'
import { type Said, unaccounted } from './oracle.ts'
import { TABLES } from './tables.ts'

// Files as strangers have them go the whole way: init, transform, check, import, verify. An oracle that knows no preset
// then looks for every value of every record: none may be lost or bent unsaid.

const FAST = ['--approved', '--max-events-per-minute', '1000000']

const ALL = [TABLES, LISTS].flatMap((rows) => byDay(rows, 3)).map((one) => [one.about, one] as const)

test.each(ALL)('%s', async (_, stranger) => {
  const folder = testFolder()
  const inputs = join(folder, 'inputs')
  mkdirSync(inputs)
  const files = await stranger.write(inputs)
  const sandbox = await testSandbox()
  const env = sandboxEnv(sandbox)
  const ran = (...argv: readonly string[]) => runCommand(argv, { env, built: true })

  const map = join(inputs, 'mapping.yaml')
  const init = await ran('init', ...files, '--out', map, '--json')
  const { columns } = JSON.parse(init.stdout) as Pick<Said, 'columns'>
  if (stranger.edit) {
    writeFileSync(map, stranger.edit(readFileSync(map, 'utf8')))
    // The tests that init wrote say what came of the mapping before.
    await ran('test', map, '--update')
  } else expect(init).toMatchObject({ code: 0 })

  const events = join(folder, 'events')
  const words = ['--map', map, ...files.flatMap((file) => ['--in', file])]
  const dry = await ran('transform', ...words, '--dry-run', '--json')
  const transform = await ran('transform', ...words, '--out', events, '--json')
  const { rejected = 0 } = stranger
  expect(transform, transform.stderr).toMatchObject({ code: rejected > 0 ? 3 : 0 })
  const made = JSON.parse(transform.stdout) as Pick<Said, 'members' | 'mends' | 'filtered'> & {
    readonly counts: Readonly<Record<string, number>>
  }
  expect(made.counts).toMatchObject({ rejected, pending: 0, duplicate: 0 })
  expect(made).toMatchObject(stranger.counted ?? {})
  const lines = linesOf(events, (name) => /^\d{4}-\d\d-\d\d.*\.ndjson$/.test(name))
  const rejects = linesOf(events, (name) => name === 'rejects.ndjson')
  const said = {
    ...made,
    columns,
    rejected: rejects.map((line) => (JSON.parse(line) as { record: string }).record),
  }
  expect(unaccounted(stranger, lines, said)).toEqual([])

  // What a dry run shows is what is written.
  const shown = (JSON.parse(dry.stdout) as TransformResult).preview!.records.flatMap(({ events }) => events)
  expect(shown.length).toBeGreaterThan(0)
  for (const line of shown) expect(lines).toContain(line)

  expect(await ran('check', events)).toMatchObject({ code: 0 })
  expect(await ran('import', '--dataset', events, ...FAST)).toMatchObject({ code: 0 })
  expect(await ran('verify', events)).toMatchObject({ code: 0 })
})

function linesOf(folder: string, isOne: (name: string) => boolean): string[] {
  return readdirSync(folder)
    .filter(isOne)
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
}
