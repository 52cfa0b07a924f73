import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type OpenPage, useBrowser } from '../helpers/browser.ts'
import { startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { testFolder } from '../helpers/folder.ts'
import { patience } from '../helpers/patience.ts'

// The button "Add as a test", from the click to what `posthaul test` says of the file.

const RECORDS = ['Signed Up', 'Purchase', 'Left']
  .map((event, at) => {
    const properties = { time: 1704067200 + at, distinct_id: `u${at}`, $insert_id: `i${at}`, token: 't' }
    return `${JSON.stringify({ event, properties })}\n`
  })
  .join('')
const MAPPING = '# The shop.\npreset: mixpanel\nevents:\n  rename: { Signed Up: signed_up }\n'
const OWN_TEST = `tests:
  # what we bill by
  - name: a purchase keeps its name
    record: '{"event":"Purchase","properties":{"time":1704067200,"distinct_id":"u1"}}'
    includes: [{ event: Purchase }]
`

const browser = useBrowser()

/** Opens the second record of a studio of `mapping`, and says what `posthaul test` makes of the file afterwards. */
async function atRecord(
  mapping: string,
  use: (page: OpenPage['page'], shoot: OpenPage['shoot']) => Promise<void>,
) {
  const open = browser()
  if (!open) return
  const folder = testFolder()
  writeFileSync(join(folder, 'raw.ndjson'), RECORDS)
  writeFileSync(join(folder, 'shop.yaml'), mapping)
  const studio = startCli(['studio', 'shop.yaml', '--in', 'raw.ndjson'], {}, folder)
  try {
    const url = await vi.waitFor(() => /http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(studio.printed())![0], {
      timeout: patience(30_000),
    })
    const { page, complaints, shoot, close } = await open(`${url}#records?record=0`)
    await page.getByRole('heading', { name: 'Record 1' }).waitFor()
    await use(page, shoot)
    expect(complaints).toEqual([])
    await close()
  } finally {
    studio.kill('SIGTERM')
    await studio.ended
  }
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  return { folder, read, ran: await runHosted(['test', 'shop.yaml'], {}, folder) }
}

test('a mapping file that has tests gets one more, by the text that is saved', async () => {
  const made = await atRecord(MAPPING + OWN_TEST, async (page, shoot) => {
    await page.getByRole('button', { name: 'Add as a test' }).click()
    await page.getByText('Added “Signed Up, raw.ndjson line 1” to shop.yaml: save it').waitFor()
    await shoot('studio-test-unsaved')
    // What is undone is not said to be there, and can be added again.
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Added “Signed Up').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Add as a test' }).click()
    await page.getByText('Added “Signed Up, raw.ndjson line 1” to shop.yaml: save it').waitFor()
    await page.getByText('unsaved changes').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('status').getByText('Saved to').waitFor()
    await shoot('studio-test-saved')
  })
  if (!made) return
  const { folder, read, ran } = made
  expect(read('shop.yaml').startsWith(MAPPING + OWN_TEST.slice(0, OWN_TEST.indexOf('    includes')))).toBe(
    true,
  )
  expect(read('shop.yaml')).toContain('  - name: Signed Up, raw.ndjson line 1\n')
  expect(read('shop.yaml')).toContain('event: signed_up\n')
  expect(existsSync(join(folder, 'shop.test.yaml'))).toBe(false)
  expect([ran.code, ran.stdout.split('\n')[0]]).toEqual([0, 'shop.yaml: 2 tests, 2 passed'])
})

test('one without gets a file of tests beside it, which expects what the page shows', async () => {
  const made = await atRecord(MAPPING, async (page, shoot) => {
    await page.goto(page.url().replace(/#.*/, '#mapping'))
    const area = page.getByRole('textbox', { name: /shop\.yaml/ })
    await area.fill(MAPPING.replace('signed_up', 'registered'))
    await page.locator('.sides').getByText('registered').first().waitFor()
    await page.goto(page.url().replace(/#.*/, '#records?record=0'))
    await page.getByRole('button', { name: 'Add as a test' }).click()
    await page.getByText('to shop.test.yaml. It expects what is not saved yet').waitFor()
    await shoot('studio-test-beside')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('It expects what is not saved yet').waitFor({ state: 'detached' })
  })
  if (!made) return
  expect(made.read('shop.yaml')).toBe(MAPPING.replace('signed_up', 'registered'))
  expect(made.read('shop.test.yaml')).toContain('event: registered\n')
  expect([made.ran.code, made.ran.stdout.split('\n')[0]]).toEqual([0, 'shop.yaml: 1 test, 1 passed'])
})
