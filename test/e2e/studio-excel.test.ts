import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { useBrowser } from '../helpers/browser.ts'
import { runHosted } from '../helpers/command-host.ts'
import { makeFolder } from '../helpers/folder.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { startStudio } from '../helpers/studio.ts'

// Three files as Excel saves them in Germany, carried to a report by who knows no YAML: init, the studio, and its last tab.

const ROWS = 120
const two = (value: number) => String(value).padStart(2, '0')
const customer = (at: number) => `${String(at % 30).padStart(6, '0')}`
const TABLES: Readonly<Record<string, string>> = {
  bestellungen: table('Bestellnr;Kundennr.;Ereignis;Zeitpunkt;Betrag €;Größe', ROWS, (at) => {
    const time = `${two(1 + (at % 28))}.03.2024 ${two(at % 24)}:${two(at % 60)}`
    const what = at % 3 === 0 ? 'Rückgabe' : 'Bestellung'
    return `B${String(at).padStart(5, '0')};${customer(at)};${what};${time};${at},50;Ö${at % 3}`
  }),
  newsletter: table('Datum;Kundennr.;Aktion;Kampagne', ROWS, (at) => {
    const time = `${two(1 + (at % 28))}.04.2024 ${two(at % 24)}:${two(at % 60)}:00`
    return `${time};${customer(at)};${at % 2 === 0 ? 'geöffnet' : 'geklickt'};Frühling ${at % 4}`
  }),
  kunden: table('Kundennr.;Vorname;E-Mail;Stadt;Umsatz €;Stand', 30, (at) => {
    return `${customer(at)};Eva;k${at}@example.test;Köln;${at},20;01.05.2024`
  }),
}

function table(header: string, rows: number, row: (at: number) => string): string {
  return `${[header, ...Array.from({ length: rows }, (_, at) => row(at))].join('\r\n')}\r\n`
}

const folder = makeFolder()
const browser = useBrowser()

const posthaul = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runHosted(words, env, folder)

test('three files of Excel become events, people and a report by init and the studio alone', async () => {
  const open = browser()
  if (!open) return
  // What Windows calls ANSI: the euro is 0x80, and all other letters here are those of Latin-1.
  for (const [name, text] of Object.entries(TABLES))
    writeFileSync(join(folder, `${name}.csv`), Buffer.from(text.replaceAll('€', '\x80'), 'latin1'))
  const all = await posthaul(['init', ...Object.keys(TABLES).map((name) => `${name}.csv`)])
  expect(all.stdout).toContain('tables of different kinds')
  expect(all.stderr).toContain('next: posthaul init bestellungen.csv --out bestellungen.yaml\n')
  expect(all.stderr).not.toContain('posthaul studio')

  const lines: string[] = []
  for (const [name, map] of [
    ['bestellungen', orders],
    ['newsletter', letters],
    ['kunden', people],
  ] as const) {
    const init = await posthaul(['init', `${name}.csv`, '--out', `${name}.yaml`])
    expect(init.stderr).toContain(`next: posthaul studio ${name}.yaml --in ${name}.csv`)
    const studio = await startStudio(join(folder, `${name}.yaml`), '--in', join(folder, `${name}.csv`))
    try {
      const { page, complaints, accessibilityFindings, close } = await open(studio.url)
      await view(page, 'Set up')
      await page.locator('section[aria-labelledby=columns] table').waitFor()
      await map(page)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('status').getByText('Saved to').waitFor()
      await view(page, 'Next')
      lines.push(...(await page.locator('ol.steps pre').allInnerTexts()))
      // The same page each time, with other words.
      if (name === 'kunden') expect(await accessibilityFindings()).toEqual([])
      expect(complaints).toEqual([])
      await close()
    } finally {
      await studio.stop()
    }
  }

  const sandbox = await startSandbox()
  try {
    for (const line of lines) {
      const words = line.split(' ').slice(1)
      const { code, stderr, stdout } = await posthaul(words, sandboxEnv(sandbox))
      expect([line, code, code === 0 ? '' : stderr + stdout]).toEqual([line, 0, ''])
    }
    const count = async (where: string) => {
      const { results } = await sandbox.query(`select count() from events where ${where}`)
      return Number(results[0]![0])
    }
    expect(await count("event in ('order', 'Rückgabe')")).toBe(ROWS)
    expect(await count("event in ('geöffnet', 'geklickt')")).toBe(ROWS)
    expect(await count("event = '$set'")).toBe(30)
    const { results } = await sandbox.query(
      "select toString(timestamp), properties.`Betrag €`, properties.`Größe` from events where event = 'order' order by timestamp limit 1",
    )
    expect(results[0]!.slice(1)).toEqual([expect.anything(), expect.stringMatching(/^Ö/)])
    const report = readFileSync(join(folder, 'report-bestellungen.html'), 'utf8')
    expect(report).toContain('order')
  } finally {
    await sandbox.close()
  }
})

async function view(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name }).click()
}

/** Answers all questions by their first button that keeps what is written, but for those of the zone. */
async function answerAll(page: Page): Promise<void> {
  for (;;) {
    const card = page.locator('section[aria-labelledby=questions] .card').first()
    if ((await card.count()) === 0) return
    const text = await card.innerText()
    await card
      .getByRole('button', { name: /zone: UTC/.test(text) ? 'Yes, UTC' : /^(Yes|No|Leave|Understood)/ })
      .first()
      .click()
    await page
      .locator('.card')
      .filter({ hasText: text.split('\n')[0]! })
      .waitFor({ state: 'detached' })
  }
}

/** Orders have an id of their own, and one of their names is another in PostHog. */
async function orders(page: Page): Promise<void> {
  await page.getByRole('rowheader', { name: 'Größe' }).or(page.getByText('Größe')).first().waitFor()
  await answerAll(page)
  await page.getByRole('button', { name: 'Take Bestellnr' }).click()
  await page.getByRole('status').getByText('Took uuid from').waitFor()
  await view(page, 'Events')
  await page.getByRole('button', { name: 'Map to… Bestellung' }).click()
  await page.keyboard.type('order')
  await page.keyboard.press('Enter')
  await acceptTests(page)
}

/** The tests that init wrote expect what the mapping made before. */
async function acceptTests(page: Page): Promise<void> {
  await page.getByText(/tests? of the mapping fails?: transform would stop/).waitFor()
  await page.getByRole('button', { name: 'Expect what it now makes' }).click()
  await page.getByText(/tests? of the mapping fails?/).waitFor({ state: 'detached' })
}

async function letters(page: Page): Promise<void> {
  await answerAll(page)
}

/** A list of customers sets properties of people, since the day that it says. */
async function people(page: Page): Promise<void> {
  await page.getByText('Each row is a person').first().waitFor()
  await page.getByRole('button', { name: /^Replace… person/ }).click()
  await page.keyboard.type('Kundennr.')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Took distinct_id from').waitFor()
  await answerAll(page)
  await page.getByRole('combobox', { name: 'Whose property E-Mail is' }).selectOption('person')
  await page.getByRole('status').getByText('a property of the person').waitFor()
  await acceptTests(page)
}
