import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { LOOKS, useBrowser } from '../helpers/browser.ts'
import { exits } from '../helpers/exits.ts'
import { makeFolder } from '../helpers/folder.ts'
import { patience } from '../helpers/patience.ts'
import { startStudio } from '../helpers/studio.ts'

// The studio as a user has it: the built command as a process, and its page in a browser.

const VIEWS = ['overview', 'set up', 'events', 'properties', 'records', 'rejects', 'mapping']
// Contrasts cost most of axe's time: each view in one scheme, each kind of part in both.
const CONTRASTS = {
  light: ['overview', 'set up', 'properties', 'records', 'mapping'],
  dark: ['overview', 'set up', 'events', 'rejects', 'mapping'],
}
const HOSTILE = [
  '<img src=x onerror="document.title=1">',
  '</script><script>document.title=1</script>',
  '"\' onmouseover=document.title=1',
  'javascript:document.title=1',
  '__proto__',
  'gnp\u202e.exe',
  'x'.repeat(300),
]
const YAML =
  '# The shop, moved in March.\npreset: mixpanel\nevents:\n  drop: [heartbeat] # noise of the app\n'

const FOCUSED = 'document.activeElement.ariaLabel ?? document.activeElement.textContent'

const folder = makeFolder()
const mapping = join(folder, 'mapping.yaml')
const browser = useBrowser()
let studio: Awaited<ReturnType<typeof startStudio>> | undefined

beforeAll(async () => {
  if (!browser()) return
  writeFileSync(join(folder, 'raw.ndjson'), records())
  writeFileSync(mapping, YAML)
  studio = await startStudio(mapping, '--in', join(folder, 'raw.ndjson'))
})
afterAll(() => studio?.stop())

function records(): string {
  const names = ['Signed Up', 'Purchase', 'heartbeat', ...HOSTILE]
  const lines = Array.from({ length: 120 }, (_, at) => {
    const name = names[at % names.length]!
    const person = at % 12 === 0 ? {} : { distinct_id: at % 3 === 0 ? `device-${at % 5}` : `user-${at % 7}` }
    const link = at % 4 === 1 ? { $device_id: `device-${at % 5}`, $user_id: `user-${at % 7}` } : {}
    const properties = { time: 1704067200 + at * 9000, $insert_id: `id-${at}`, [name]: name, plan: 'pro' }
    return JSON.stringify({ event: name, properties: { ...properties, ...person, ...link } })
  })
  return `${lines.join('\n')}\n{"event": oops\n`
}

test('each view is whole, accessible and inert, on a phone and a desk, light and dark', async () => {
  const open = browser()
  if (!open) return
  const { page, complaints, look, scrollsSideways, accessibilityFindings, shoot, close } = await open(
    studio!.url,
  )
  await page.getByRole('heading', { level: 2 }).waitFor()
  const title = await page.title()
  // Either width and either scheme once: all four are for pictures alone.
  const looks = LOOKS.filter(({ width, scheme }) => (width === 390) === (scheme === 'dark'))
  for (const { width, scheme } of process.env.POSTHAUL_SHOTS ? LOOKS : looks) {
    await look({ width, scheme })
    for (const view of VIEWS) {
      await page.getByRole('navigation').getByRole('link', { name: view }).click()
      const heading = page.getByRole('heading', { level: 2 })
      await vi.waitFor(
        async () => expect((await heading.textContent())?.toLowerCase()).toBe(view),
        patience(5000),
      )
      if (view === 'records' || view === 'mapping') await page.locator('.sides').waitFor()
      expect([width, scheme, view, await scrollsSideways()]).toEqual([width, scheme, view, false])
      if (width === 390) expect([view, await accessibilityFindings('structure')]).toEqual([view, []])
      if (CONTRASTS[scheme].includes(view))
        expect([scheme, view, await accessibilityFindings('contrast')]).toEqual([scheme, view, []])
      await shoot(`studio-${view}`)
    }
  }
  await page.goto(`${studio!.url}#overview`)
  await page.getByText(/^They happened from 20\d\d-.* \(UTC\), on \d+ days\.$/).waitFor()
  expect(await page.locator('dl').textContent()).toMatch(/Become events.*Rejected/)
  await page.getByRole('link', { name: 'Events' }).first().click()
  await page.getByRole('rowheader', { name: HOSTILE[0]! }).waitFor()
  expect(await page.locator('main img, main script').count()).toBe(0)
  expect([await page.title(), complaints]).toEqual([title, []])
  await close()
})

test('an event is renamed and the file saved by the keyboard alone; comments stay', async () => {
  const open = browser()
  if (!open) return
  const { page, complaints, close } = await open(studio!.url)
  await page.getByRole('heading', { level: 2 }).waitFor()
  await tabTo(page, 'Skip to the content')
  await tabTo(page, 'Events')
  await page.keyboard.press('Enter')
  await tabTo(page, 'Map to… Purchase')
  await page.keyboard.press('Enter')
  await page.locator('form input:focus').waitFor()
  await page.keyboard.type('order placed')
  await page.keyboard.press('Enter')
  const row = page.getByRole('row', { name: 'Purchase' })
  await row.getByText('order placed').waitFor()
  await page.getByRole('status').getByText('Renamed “Purchase”. Preview updated').waitFor()
  // The button that opened the form is gone: its row keeps the focus.
  await vi.waitFor(async () => expect(await page.evaluate(FOCUSED)).toBe('Rename… Purchase'), patience(5000))
  expect(readFileSync(mapping, 'utf8')).toBe(YAML)
  await page.keyboard.press('Control+s')
  await page.getByRole('status').getByText('Saved to').waitFor()
  const saved = readFileSync(mapping, 'utf8')
  expect(saved).toContain('Purchase: order placed')
  expect(saved).toContain('# The shop, moved in March.')
  expect(saved).toContain('drop: [heartbeat] # noise of the app')
  expect(complaints).toEqual([])
  await close()
})

test('typing in the mapping changes the record on show, says the line of a fault, and Tab leaves it', async () => {
  const open = browser()
  if (!open) return
  const { page, complaints, close } = await open(`${studio!.url}#mapping?record=1`)
  const area = page.getByRole('textbox', { name: /mapping\.yaml/ })
  const text = await area.inputValue()
  await page.locator('.sides').getByText('properties.plan').first().waitFor()
  await area.fill(`${text}properties:\n  rename: { plan: tier }\n`)
  await page.locator('.sides').getByText('properties.tier').waitFor()
  await page.getByText('unsaved changes').waitFor()
  await area.fill(`${text}nonsense: 1\n`)
  const line = text.split('\n').length
  await page.getByRole('button', { name: `Go to line ${line}` }).click()
  expect(await area.evaluate((node: { selectionStart: number }) => node.selectionStart)).toBe(text.length)
  await page.keyboard.press('Tab')
  expect(await area.evaluate('document.activeElement?.tagName')).not.toBe('TEXTAREA')
  await area.fill(text)
  await page.getByText('No fault.').waitFor()
  expect(complaints).toEqual([])
  await close()
})

test('a file that was changed meanwhile is not overwritten unasked, and a server that is gone is said', async () => {
  const open = browser()
  if (!open) return
  const { page, close } = await open(`${studio!.url}#events?fate=unmapped`)
  const signedUp = page.getByRole('button', { name: 'Drop Signed Up' })
  await signedUp.focus()
  await page.keyboard.press('Enter')
  await signedUp.waitFor({ state: 'detached' })
  // Its row left the list with what was done: the one in its place has the focus.
  await vi.waitFor(async () => expect(await page.evaluate(FOCUSED)).toMatch(/^(Map to|Drop)/), patience(5000))
  await page.getByText('unsaved changes').waitFor()
  const theirs = `${YAML}# theirs\n`
  writeFileSync(mapping, theirs)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('the file was changed by somebody else since').waitFor()
  expect(readFileSync(mapping, 'utf8')).toBe(theirs)
  await page.getByRole('button', { name: 'Save mine over it' }).click()
  await page.getByRole('status').getByText('Saved to').waitFor()
  expect(readFileSync(mapping, 'utf8')).toContain('Signed Up')
  await exits(0, studio!.stop())
  await page.getByRole('button', { name: 'Drop __proto__' }).click()
  await page.getByText('Your text is still in this page').waitFor()
  await close()
})

/** Presses Tab until what has the focus is called so. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 200; presses++) {
    await page.keyboard.press('Tab')
    if ((await page.evaluate<string>(FOCUSED)).startsWith(name)) return
  }
  throw new Error(`Tab does not reach ${name}`)
}
