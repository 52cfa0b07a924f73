import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseMigration } from '../../../src/jobs/run/migration-file.ts'
import { PrintMaker } from '../../../src/jobs/run/prints.ts'
import { RunState } from '../../../src/jobs/run/run-state.ts'
import { stepsOf } from '../../../src/jobs/run/stages.ts'
import { fileCell } from '../../../src/state/cell.ts'
import { testFolder } from '../../helpers/folder.ts'

test.each(['mapping: { file: mapping.yaml }', 'mapping: { preset: ./acme.mjs }'])(
  'a changed preset file is another mapping: %s',
  async (mapping) => {
    const folder = testFolder()
    const at = (path: string) => join(folder, path)
    const text = `source: { files: [raw/] }\n${mapping}\nstore: store\ntarget: { region: eu }\n`
    const migration = parseMigration(text, 'migration.yaml', {})
    writeFileSync(at('mapping.yaml'), 'preset: ./acme.mjs\n')
    const printsOf = async (preset: string) => {
      writeFileSync(at('acme.mjs'), preset)
      const transform = stepsOf(migration, 'files', [], at).find(({ stage }) => stage === 'transform')!
      return new PrintMaker(migration, at, await RunState.open(fileCell(at('state')))).settings(transform)
    }
    const first = await printsOf('export default 1')
    expect(await printsOf('export default 1')).toEqual(first)
    expect(await printsOf('export default 22')).not.toEqual(first)
  },
)
