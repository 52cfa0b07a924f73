import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { STAGES } from '../../../src/text/fleet-stages.ts'
import { runHosted } from '../../helpers/command-host.ts'
import { datasetIn } from '../../helpers/fleet.ts'
import { makeFolder, testFolder } from '../../helpers/folder.ts'
import { GATHERED } from '../../helpers/gathered-histories.ts'
import { byDay } from '../../helpers/kills.ts'
import { seedOf } from '../../helpers/seed.ts'

const seed = seedOf('fleet gathering')
const EITHER = [0, 3]

async function ran(words: string[]) {
  const ended = await runHosted(words)
  expect(EITHER, `${words.join(' ')}\n${ended.stderr}`).toContain(ended.code)
  return ended
}

/** The text of all files below a folder. */
function textBelow(folder: string): string {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((one) => one.isFile())
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')).join('\n')
}

/** What is said of a dataset, whoever made it. */
function saidOf({ stdout }: { readonly stdout: string }) {
  const { counts, filtered, rejects, side_tables, mends, members, unheard } = JSON.parse(stdout)
  return { counts, filtered, rejects, side_tables, mends, members, unheard }
}

describe.each(GATHERED)('a history of $name', ({ write, stages }) => {
  const folder = makeFolder()
  let way: string[]
  let local: Record<string, string>
  let said: ReturnType<typeof saidOf>
  beforeAll(async () => {
    way = write(folder, seed)
    const out = join(folder, 'events')
    said = saidOf(await ran(['transform', ...way, '--out', out, '--workers', '2', '--json']))
    local = datasetIn(out)
    // Tables of all presets are looked up, and there is somebody to forget.
    for (const table of said.side_tables.filter(({ files }: { readonly files: number }) => files > 0))
      expect(table.found, table.name).toBeGreaterThan(50)
    expect(said.side_tables.length > 0).toBe(stages.includes('rows'))
    expect(said.filtered.forgotten > 10).toBe(stages.includes('links'))
  })

  test.each(byDay([8, 1, 2], 3))(
    'with %i tasks a stage is that of one machine, to the byte',
    async (tasks) => {
      const [out, work] = [join(testFolder(), 'out'), join(testFolder(), 'work')]
      mkdirSync(work)
      await ran(['fleet', 'plan', ...way, '--out', out, '--tasks', String(tasks)])
      const done: string[] = []
      for (const stage of STAGES) {
        for (let index = 0; index < tasks; index++) {
          const words = ['fleet', 'run', stage, '--index', String(index), '--out', out, '--work-dir', work]
          const { stderr } = await ran(words)
          if (index === 0 && stderr.includes('is done')) done.push(stage)
        }
      }
      expect(done).toEqual([...stages, 'map', 'generate', 'seal'])
      expect(readdirSync(work)).toEqual([])
      // Rows of records are what they are, until finish removes them.
      if (!stages.includes('rows')) expectForgotten(out)
      expect(saidOf(await ran(['fleet', 'finish', '--out', out, '--json']))).toEqual(said)
      expect(datasetIn(out)).toEqual(local)
      expectForgotten(out)
    },
  )

  /** Nobody who is to be forgotten is named in any file. */
  function expectForgotten(out: string): void {
    if (!stages.includes('people')) return
    const text = textBelow(out)
    const ids = readFileSync(join(folder, 'gone.txt'), 'utf8').trim().split('\n')
    expect(ids.filter((id) => text.includes(`"${id}"`))).toEqual([])
  }
})
