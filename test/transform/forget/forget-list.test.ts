import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listedIds } from '../../../src/transform/forget/find-forgotten.ts'
import { readForgetList } from '../../../src/transform/forget/forget-list.ts'
import { loadMapping } from '../../../src/transform/load-mapping.ts'
import { testFolder } from '../../helpers/folder.ts'

test('ids are read one a line, a device by its bare id too', async () => {
  const path = join(testFolder(), 'forget.txt')
  writeFileSync(path, 'ann\n$device:x\r\n\nbob\n\\N\nNULL')
  const ids: string[] = []
  expect(await readForgetList(path, (id) => ids.push(id))).toMatchObject({ path, ids: 3 })
  expect(ids).toEqual(expect.arrayContaining(['ann', '$device:x', 'x', 'bob']))
})

test('a list that was changed since the run began is refused: whom it named then would be sent', async () => {
  const path = join(testFolder(), 'forget.txt')
  writeFileSync(path, 'ann\nbob\n')
  const list = await readForgetList(path)
  expect((await listedIds(list, 'salt')).size).toBe(2)
  writeFileSync(path, 'ann\n')
  await expect(listedIds(list, 'salt')).rejects.toMatchObject({
    code: 'input',
    message: `${path} was changed while it was read`,
  })
})

test.skipIf(process.platform === 'win32')(
  'what is no list of ids is refused, and not read without end',
  async () => {
    const folder = testFolder()
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const line = join(folder, 'line')
    writeFileSync(line, 'x'.repeat(2 << 20))
    for (const [path, message] of [
      ['/dev/zero', 'no ordinary file'],
      [pipe, 'no ordinary file'],
      [folder, 'it is a folder'],
      [line, 'a line is longer'],
    ] as const) {
      const refused = { code: 'config', message: expect.stringContaining(message), hint: expect.any(String) }
      await expect(readForgetList(path)).rejects.toMatchObject(refused)
    }
    const map = join(folder, 'map.yaml')
    for (const path of ['/dev/zero', pipe]) {
      writeFileSync(map, `columns_from: ${path}\n`)
      const refused = { code: 'config', message: expect.stringContaining('no ordinary file') }
      await expect(loadMapping(map)).rejects.toMatchObject(refused)
    }
  },
)
