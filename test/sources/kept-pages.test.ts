import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { forgetPages, keptPages, type ReadFrom, type RecordPage } from '../../src/sources/kept-pages.ts'
import { testFolder } from '../helpers/folder.ts'

const LAST = 5
const ALL = Array.from({ length: LAST }, (_, n) => `{"n":${n}}\n{"m":${n}}\n`).join('')

/** Five pages of two records. Fails before the page `until`, and notes where reads begin. */
function pagesOf(begun: ReadFrom[], until = LAST) {
  return async function* (from: ReadFrom): AsyncGenerator<RecordPage> {
    begun.push(from)
    for (let n = Number(from.next ?? 0); n < LAST; n++) {
      if (n === until) throw new Error('cut short')
      const next = n + 1 < LAST ? String(n + 1) : null
      yield { lines: [`{"n":${n}}\n`, `{"m":${n}}\n`], fingerprint: `page ${n}`, next }
    }
  }
}

async function readAll(
  path: string,
  read: ReturnType<typeof pagesOf>,
): Promise<{ text: string; totals: number[] }> {
  const totals: number[] = []
  const chunks: Buffer[] = []
  for await (const chunk of keptPages(path, read, (total) => totals.push(total))) chunks.push(chunk)
  return { text: Buffer.concat(chunks).toString(), totals }
}

/** A file that holds three pages of five. */
async function cutShort(): Promise<string> {
  const path = join(testFolder(), '.pages')
  await expect(readAll(path, pagesOf([], 3))).rejects.toThrow('cut short')
  return path
}

test('pages are read and given in one piece', async () => {
  const begun: ReadFrom[] = []
  const { text, totals } = await readAll(join(testFolder(), '.pages'), pagesOf(begun))
  expect([text, totals]).toEqual([ALL, [2, 4, 6, 8, 10]])
  expect(begun).toEqual([{ next: undefined, seen: [] }])
})

describe('a reading that was cut short', () => {
  const GOES_ON = { next: '3', seen: ['page 0', 'page 1', 'page 2'] }
  const ANEW = { next: undefined, seen: [] }

  test.each<[string, (path: string) => Promise<unknown>, ReadFrom]>([
    ['goes on after its last whole page', async () => {}, GOES_ON],
    ['drops half a page', (path) => appendFile(path, `{"n":3}\n{"m":"${'x'.repeat(99)}`), GOES_ON],
    ['drops a page that nothing says is whole', (path) => appendFile(path, '{"n":3}\n{"m":3}\n'), GOES_ON],
    ['begins anew when records were lost', (path) => truncate(path, 41), ANEW],
    ['begins anew when half of what it knew was lost', (path) => truncate(`${path}.json`, 20), ANEW],
    ['begins anew when another version knew it', (path) => writeFile(`${path}.json`, '{"version":2}'), ANEW],
    ['begins anew when it is forgotten', forgetPages, ANEW],
  ])('%s', async (_, damage, from) => {
    const path = await cutShort()
    await damage(path)
    const begun: ReadFrom[] = []
    const { text, totals } = await readAll(path, pagesOf(begun))
    expect(begun).toEqual([from])
    expect(text).toBe(ALL)
    expect(totals.at(-1)).toBe(10)
    expect(await readFile(path, 'utf8')).toBe(ALL)
  })

  test('asks for nothing once all pages are there', async () => {
    const path = join(testFolder(), '.pages')
    await readAll(path, pagesOf([]))
    const begun: ReadFrom[] = []
    expect((await readAll(path, pagesOf(begun))).text).toBe(ALL)
    expect(begun).toEqual([])
  })
})
