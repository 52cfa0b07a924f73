import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useBrowser } from '../helpers/browser.ts'
import { testFolder } from '../helpers/folder.ts'

// The tests of our pages say "nothing is wrong". This one says that they would notice.
const browser = useBrowser()

test('a page that does what ours must not is complained of', async () => {
  const open = browser()
  if (!open) return
  const path = join(testFolder(), 'bad.html')
  writeFileSync(
    path,
    `<!doctype html><html lang="en"><title>bad</title>
    <meta http-equiv="Content-Security-Policy" content="style-src 'none'">
    <p style="color: red">styled against its own policy</p>
    <div style="width: 2000px"><font color="#eeeeee">hardly to be read</font></div>
    <img src="https://tracker.invalid/pixel.png">
    <table width="2000"><tr><td>wide</td></tr></table>
    <script>setTimeout(() => { throw new Error('nobody catches it') })</script>`,
  )
  const bad = await open(path)
  await bad.look({ width: 390, scheme: 'dark' })
  await bad.page.waitForFunction('document.readyState === "complete"')
  await expect.poll(() => bad.complaints.join('\n')).toContain('error: nobody catches it')
  expect(bad.complaints.join('\n')).toContain('console: Applying inline style violates')
  expect(bad.complaints).toContain('request: https://tracker.invalid/pixel.png')
  expect(await bad.scrollsSideways()).toBe(true)
  const findings = (await bad.accessibilityFindings()).join('\n')
  expect(findings).toContain('image-alt: ')
  expect(findings).toContain('color-contrast: ')
  expect(await bad.page.evaluate('matchMedia("(prefers-color-scheme: dark)").matches')).toBe(true)
  await bad.close()
})
