import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { patience } from './patience.ts'

/** How a page is looked at: a phone's or a desk's width in pixels, and the reader's choice of colours. */
export interface Look {
  readonly width: 390 | 1440
  readonly scheme: 'light' | 'dark'
}

/** The four looks that every page has to bear. */
export const LOOKS: readonly Look[] = [
  { width: 390, scheme: 'light' },
  { width: 390, scheme: 'dark' },
  { width: 1440, scheme: 'light' },
  { width: 1440, scheme: 'dark' },
]

type AxeRules = 'all' | 'contrast' | 'structure'

const AXE_OPTIONS: Readonly<Record<AxeRules, object>> = {
  all: {},
  contrast: { runOnly: { type: 'rule', values: ['color-contrast'] } },
  structure: { rules: { 'color-contrast': { enabled: false } } },
}

/** A page that is open in the browser, with what went wrong on it since it was opened. */
export interface OpenPage {
  readonly page: Page
  /** Console errors (a breach of the page's CSP is one), errors that nothing caught, requests that leave this machine. */
  readonly complaints: readonly string[]
  look(look: Look): Promise<void>
  /**
   * What axe-core finds serious or critical, a line each: rule, help, the elements. Empty when all is well. Contrasts take
   * two thirds of its time: pages whose parts are alike may ask for them, or for the rest, alone.
   */
  accessibilityFindings(rules?: AxeRules): Promise<string[]>
  /** True if the page is wider than the window, so that a reader has to scroll sideways. */
  scrollsSideways(): Promise<boolean>
  /** Writes `<name>-<width>-<scheme>.png` of the whole page to the folder POSTHAUL_SHOTS, if that is set. */
  shoot(name: string): Promise<void>
  close(): Promise<void>
}

const CHROMIUM = process.env.CHROMIUM_PATH || '/usr/bin/chromium'

/**
 * Starts one Chromium for all tests of a file, and ends it after them. The function that it returns opens an address or a
 * file. Without Chromium that function is undefined, one line says so, and a test returns early:
 *
 *     const browser = useBrowser()
 *     test('…', async () => {
 *       const open = browser()
 *       if (!open) return
 */
export function useBrowser(): () => ((target: string) => Promise<OpenPage>) | undefined {
  let browser: Browser | undefined
  beforeAll(async () => {
    if (!existsSync(CHROMIUM)) {
      process.stderr.write(
        `No Chromium at ${CHROMIUM} (CHROMIUM_PATH names another): pages are not opened.\n`,
      )
      return
    }
    browser = await start()
  })
  afterAll(() => browser?.close())
  return () => browser && ((target) => openPage(browser!, target))
}

async function start(): Promise<Browser> {
  const { chromium } = await import('playwright-core')
  return chromium.launch({
    executablePath: CHROMIUM,
    timeout: patience(60_000),
    args: [
      // Chromium's own sandbox refuses to start as root, as tests run in containers; these pages are our own.
      '--no-sandbox',
      // Containers often have 64 MB there, and a tab that needs more dies.
      '--disable-dev-shm-usage',
      // Whatever a page asks for, nothing leaves this machine.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
    ],
  })
}

async function openPage(browser: Browser, target: string): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'light' })
  context.setDefaultTimeout(patience(15_000))
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('request', (request) => noteStray(request.url(), complaints))
  page.on('websocket', (socket) => noteStray(socket.url(), complaints))
  await page.goto(/^[a-z]+:\/\//.test(target) ? target : pathToFileURL(target).href, { waitUntil: 'load' })
  let current: Look = { width: 1440, scheme: 'light' }
  return {
    page,
    complaints,
    async look(look) {
      current = look
      await page.setViewportSize({ width: look.width, height: look.width === 390 ? 844 : 900 })
      await page.emulateMedia({ colorScheme: look.scheme })
    },
    accessibilityFindings: (rules = 'all') => accessibilityFindings(page, rules),
    scrollsSideways: () =>
      page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth'),
    async shoot(name) {
      const folder = process.env.POSTHAUL_SHOTS
      if (!folder) return
      const path = join(folder, `${name}-${current.width}-${current.scheme}.png`)
      await page.screenshot({ path, fullPage: true, timeout: patience(30_000) })
    },
    close: () => context.close(),
  }
}

function noteStray(url: string, complaints: string[]): void {
  const { protocol, hostname } = new URL(url)
  if (!/^(https?|wss?):$/.test(protocol)) return
  if (hostname !== '127.0.0.1' && hostname !== 'localhost') complaints.push(`request: ${url}`)
}

/** Evaluated by the browser's debugger, and so allowed under a CSP that forbids scripts. */
async function accessibilityFindings(page: Page, rules: AxeRules): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window')))
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  return page.evaluate<
    string[]
  >(`axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...AXE_OPTIONS[rules] })}).then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => id + ': ' + help + ' ' + nodes.slice(0, 5).map(({ html }) => html.slice(0, 200)).join(' | ')))`)
}
