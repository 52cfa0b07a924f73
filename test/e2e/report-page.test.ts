import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ReportData } from '../../src/commands/report/report-data.ts'
import { LOOKS, type OpenPage, useBrowser } from '../helpers/browser.ts'
import { makeFolder } from '../helpers/folder.ts'
import { daysFrom, fullReport } from '../helpers/report-page-data.ts'

const browser = useBrowser()
const folder = makeFolder()
let page: OpenPage | undefined

beforeAll(async () => {
  const { renderReport }: { renderReport(data: ReportData): string } = await import(
    new URL('../../dist/web/report.js', import.meta.url).href
  )
  const path = join(folder, 'report.html')
  writeFileSync(path, renderReport(fullReport(daysFrom('2024-03-20', 30))))
  page = await browser()?.(path)
})
afterAll(() => page?.close())

test.each(LOOKS)('the report is sound at $width pixels, $scheme', async (look) => {
  if (!page) return
  await page.look(look)
  // Contrast depends on the colours, and the rest on what is there: each width and each scheme once.
  if ((look.width === 390) === (look.scheme === 'dark'))
    expect(await page.accessibilityFindings()).toEqual([])
  expect(await page.scrollsSideways()).toBe(false)
  await page.shoot('report')
  expect(page.complaints).toEqual([])
})

test('figures have labels, and the page a list of its parts', async () => {
  if (!page) return
  const figure = page.page.locator('.figure', { hasText: 'Events moved' })
  expect(await figure.locator('.value').innerText()).toBe('412,345')
  expect(await page.page.getByRole('navigation').getByRole('link').count()).toBe(6)
})

test('hostile names are text: nothing of them became an element or ran', async () => {
  if (!page) return
  expect(await page.page.title()).toBe('Migration of shop.example')
  expect(await page.page.locator('script, img, iframe, object, [onload], [onerror], [style]').count()).toBe(0)
  expect(await page.page.getByText('<script>document.title = "hacked"</script>').count()).toBeGreaterThan(5)
  expect(page.complaints).toEqual([])
})

test('it prints', async () => {
  if (!page) return
  const pdf = await page.page.pdf({ format: 'A4' })
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
  if (process.env.POSTHAUL_SHOTS) writeFileSync(join(process.env.POSTHAUL_SHOTS, 'report.pdf'), pdf)
  expect(page.complaints).toEqual([])
})
