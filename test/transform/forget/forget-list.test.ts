import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { listedIds } from '../../../src/transform/forget/find-forgotten.ts'
import { readForgetList } from '../../../src/transform/forget/forget-list.ts'
import { loadMapping } from '../../../src/transform/load-mapping.ts'
import { testFolder } from '../../helpers/folder.ts'

test('ids are read one a line, a device by its bare id too', async () => {
  const path = join(testFolder(), 'forget.txt')
  writeFileSync(path, 'ann\n$device:x\r\n\nbob\n\\N\nNULL')
  const ids: string[] = []
  expect(await readForgetList(path, (forms) => ids.push(...forms))).toMatchObject({ path, ids: 3 })
  expect(ids).toEqual(expect.arrayContaining(['ann', '$device:x', 'x', 'bob']))
})

const IDS = ['ann', 'o"hara', 'zoë', 'x,y']
const QUOTED = 'ann\n"o""hara"\n\'zoë\'\n"x,y"'

describe('a list names the same people in whatever form it comes', () => {
  test.each<[string, string | Buffer]>([
    ['quotes', QUOTED],
    ['a byte order mark', `\uFEFF${QUOTED}`],
    ['line ends of Windows', QUOTED.replaceAll('\n', '\r\n')],
  ])('%s', async (_, content) => {
    const path = join(testFolder(), 'forget.txt')
    writeFileSync(path, content)
    const ids: string[] = []
    await readForgetList(path, (forms) => ids.push(...forms))
    expect(ids).toEqual(expect.arrayContaining(IDS))
  })

  test.each<[string, string | Buffer, string]>([
    ['a table', 'distinct_id,age\nann,7', 'line 1 of'],
    ['ids between commas', 'ann\nbob, carl', 'line 2 of'],
    ['semicolons', 'ann;bob', 'line 1 of'],
    ['JSON', '["ann"]', 'line 1 of'],
    ['records', '{"distinct_id":"ann"}\n{"distinct_id":"bob"}', 'line 1 of'],
    ['another encoding', Buffer.from('zo\u00eb\nann', 'latin1'), 'no text in UTF-8'],
    ['UTF-16', Buffer.from('ann', 'utf16le'), 'no text in UTF-8'],
    ['gzip', gzipSync('ann'), 'no text in UTF-8'],
  ])('%s is refused', async (_, content, message) => {
    const path = join(testFolder(), 'forget.txt')
    writeFileSync(path, content)
    await expect(readForgetList(path)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(message),
    })
  })
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
      ['/dev/zero', 'not an ordinary file'],
      [pipe, 'not an ordinary file'],
      [folder, 'it is a folder'],
      [line, 'a line is longer'],
    ] as const) {
      const refused = { code: 'config', message: expect.stringContaining(message), hint: expect.any(String) }
      await expect(readForgetList(path)).rejects.toMatchObject(refused)
    }
    const map = join(folder, 'map.yaml')
    for (const path of ['/dev/zero', pipe]) {
      writeFileSync(map, `columns_from: ${path}\n`)
      const refused = { code: 'config', message: expect.stringContaining('not an ordinary file') }
      await expect(loadMapping(map)).rejects.toMatchObject(refused)
    }
  },
)
