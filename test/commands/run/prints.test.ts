import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { outputPrint, printsOf } from '../../../src/commands/run/prints.ts'
import { RunState } from '../../../src/commands/run/run-state.ts'
import { parseMigration } from '../../../src/migration/migration-file.ts'
import { stepsOf } from '../../../src/migration/stages.ts'
import { fileCell } from '../../../src/state/cell.ts'
import { writeDataset } from '../../helpers/dataset.ts'
import { makeEvent } from '../../helpers/events.ts'
import { testFolder } from '../../helpers/folder.ts'

test.each(['mapping: { file: mapping.yaml }', 'mapping: { preset: ./acme.mjs }'])(
  'a changed preset file is another mapping: %s',
  async (mapping) => {
    const folder = testFolder()
    const at = (path: string) => join(folder, path)
    const text = `source: { files: [raw/] }\n${mapping}\nstore: store\ntarget: { region: eu }\n`
    const migration = parseMigration(text, 'migration.yaml', {})
    writeFileSync(at('mapping.yaml'), 'preset: ./acme.mjs\n')
    const settingsWith = async (preset: string) => {
      writeFileSync(at('acme.mjs'), preset)
      const transform = stepsOf(migration, 'files', [], at, 'a').find(({ stage }) => stage === 'transform')!
      return printsOf(migration, at, await RunState.open(fileCell(at('state')))).settings(transform)
    }
    const first = await settingsWith('export default 1')
    expect(await settingsWith('export default 1')).toEqual(first)
    expect(await settingsWith('export default 22')).not.toEqual(first)
  },
)

test('what a transform made has a print while every part of it is there', async () => {
  const folder = testFolder()
  const at = (path: string) => join(folder, path)
  const text =
    'source: { files: [raw/] }\nmapping: { preset: posthog }\nstore: store\ntarget: { region: eu }\n'
  const migration = parseMigration(text, 'migration.yaml', {})
  const transform = stepsOf(migration, 'files', [], at, 'a').find(({ stage }) => stage === 'transform')!
  // Another migration of the same words marks its events otherwise: verify and undo must not take them for these.
  const [other] = stepsOf(migration, 'files', [], at, 'b')
  const idOf = ({ argv }: typeof transform) => argv[argv.indexOf('--import-id') + 1]
  expect(idOf(other!)).not.toBe(idOf(transform))
  expect(other!.said).toBe(transform.said)
  expect(await outputPrint(transform)).toBeUndefined()
  const file = '2024-01-01.ndjson'
  await writeDataset(transform.events, [{ file, events: [makeEvent(1)] }])
  expect(await outputPrint(transform)).toMatch(/^[0-9a-f]{64}$/)
  rmSync(join(transform.events, file))
  expect(await outputPrint(transform)).toBeUndefined()
})
