import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { LOOKS, type OpenPage, useBrowser } from '../helpers/browser.ts'
import { runHosted } from '../helpers/command-host.ts'
import type { TestEvent } from '../helpers/events.ts'
import { makeFolder } from '../helpers/folder.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'
import { startStudio } from '../helpers/studio.ts'

// Three files as Excel saves them in Germany, carried to a report by who knows no YAML: init, the studio, and its last tab.
// In the studio everything is clicked or chosen from a list.

const ROWS = 120
/** Names of what visitors of the shop did. */
const NAMES = 300
const VISITS = 900
const two = (value: number) => String(value).padStart(2, '0')
const customer = (at: number) => `${String(at % 30).padStart(6, '0')}`
const TABLES: Readonly<Record<string, string>> = {
  bestellungen: table('Bestellnr;Kundennr.;Ereignis;Zeitpunkt;Betrag €;Größe', ROWS, (at) => {
    const time = `${two(1 + (at % 28))}.03.2024 ${two(at % 24)}:${two(at % 60)}`
    const what = at % 3 === 0 ? 'Rückgabe' : 'Bestellung'
    return `B${String(at).padStart(5, '0')};${customer(at)};${what};${time};${at},50;Ö${at % 3}`
  }),
  // Decimal commas, a day and a time of day, codes with leading zeros; one row in three has no customer.
  besuche: table('Aktion;Kundennr.;Gast;Datum;Uhrzeit;Betrag;Artikelnr;Bezahlt;Merkmale', VISITS, (at) => {
    const name = `Seite ${String(at % NAMES).padStart(3, '0')} gesehen`
    const who = at % 3 === 0 ? '' : `K-${String(at % 17).padStart(5, '0')}`
    const time = `${two(1 + (at % 28))}.02.2024;${two(at % 24)}:${two(at % 60)}`
    const amount = at === 700 ? 'auf Anfrage' : at % 2 === 0 ? `1.${100 + at},50 €` : `${at % 90},05 €`
    const paid = at % 2 === 0 ? 'f' : 't'
    return `${name};${who};gast-${at % 40};${time};${amount};${String(at % 50).padStart(6, '0')};${paid};rot|groß`
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
    ['besuche', visits],
    ['kunden', people],
  ] as const) {
    const init = await posthaul(['init', `${name}.csv`, '--out', `${name}.yaml`])
    expect(init.stderr).toContain(`next: posthaul studio ${name}.yaml --in ${name}.csv`)
    const studio = await startStudio(join(folder, `${name}.yaml`), '--in', join(folder, `${name}.csv`))
    try {
      const opened = await open(studio.url)
      const { page, complaints, accessibilityFindings, close } = opened
      await view(page, 'Set up')
      await page.locator('section[aria-labelledby=columns] table').waitFor()
      await map(opened)
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

  const sandbox = await testSandbox()
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
  expect(await count("startsWith(event, 'Seite ')")).toBe(VISITS - VISITS / NAMES)
  expect(await count("event = '$set'")).toBe(30)
  const { results } = await sandbox.query(
    "select toString(timestamp), properties.`Betrag €`, properties.`Größe` from events where event = 'order' order by timestamp limit 1",
  )
  expect(results[0]!.slice(1)).toEqual([expect.anything(), expect.stringMatching(/^Ö/)])
  const report = readFileSync(join(folder, 'report-bestellungen.html'), 'utf8')
  expect(report).toContain('order')
  expectVisits(eventsOf(join(folder, 'events-besuche')))
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
async function orders({ page }: OpenPage): Promise<void> {
  await page.getByRole('rowheader', { name: 'Größe' }).or(page.getByText('Größe')).first().waitFor()
  await answerAll(page)
  await page.getByRole('button', { name: 'Take Bestellnr' }).click()
  await page.getByRole('status').getByText('Took uuid from').waitFor()
  await view(page, 'Events')
  await page.getByRole('button', { name: 'Map to… Bestellung' }).click()
  await page.keyboard.type('order')
  await page.keyboard.press('Enter')
}

/** The page is looked at on a phone and a desk; then each question has an answer of its own. */
async function visits({
  page,
  look,
  scrollsSideways,
  accessibilityFindings,
  shoot,
}: OpenPage): Promise<void> {
  const looks = LOOKS.filter(({ width, scheme }) => (width === 390) === (scheme === 'dark'))
  for (const { width, scheme } of process.env.POSTHAUL_SHOTS ? LOOKS : looks) {
    await look({ width, scheme })
    await page.locator('section[aria-labelledby=columns] table').waitFor()
    expect([width, scheme, await scrollsSideways()]).toEqual([width, scheme, false])
    expect([width, scheme, await accessibilityFindings()]).toEqual([width, scheme, []])
    await shoot('shop-setup')
  }
  await look({ width: 1440, scheme: 'light' })

  // Forms that a button opens are in the page too.
  await page.getByRole('button', { name: 'Day and time of day… time' }).click()
  await page.getByRole('combobox', { name: 'Time of day in' }).waitFor()
  expect(await accessibilityFindings('structure')).toEqual([])
  await page.keyboard.press('Escape')

  await answer(page, /is it the event's name/, 'Yes, it is')
  await answer(page, /is it the person's id/, 'Yes, it is')
  await answer(page, /have no person there/, 'Yes, in another one…', async () => {
    await page.getByLabel('Without one, take distinct_id from').fill('Gast')
  })
  await answer(page, /is it the time of the event/, 'Yes, it is')
  await page.getByRole('button', { name: 'Day and time of day… time' }).click()
  await page.getByRole('combobox', { name: /^Day in/ }).fill('Datum')
  await page.getByRole('combobox', { name: 'Time of day in' }).fill('Uhrzeit')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('read together').waitFor()
  // By that it is answered whether only days are known.
  await page.locator('.card').filter({ hasText: 'midnight' }).waitFor({ state: 'detached' })
  await answer(page, /carry no zone/, 'Another zone…', async () => {
    await page.getByLabel('Zone of times that name none').selectOption('Europe/Vienna')
  })
  await answer(page, /cells are not such a value/, 'Leave these as text')
  await answer(page, /transform stops above/, 'Understood')
  await page.getByText('No question is open').waitFor()
  const amounts = page.getByRole('row', { name: /^Betrag/ })
  await amounts.getByText('"auf Anfrage"').waitFor()
  await amounts.getByText('1 cell').waitFor()
  await shoot('shop-mapped')

  await view(page, 'Events')
  await page.getByText(`${NAMES} names in all ${VISITS} records`).waitFor()
  await page.getByLabel('Search all names').fill('299')
  await page.getByRole('rowheader', { name: 'Seite 299 gesehen' }).waitFor()
  await page.getByRole('button', { name: 'Drop Seite 299 gesehen' }).click()
  await page.getByRole('status').getByText('Dropped “Seite 299 gesehen”').waitFor()
}

/** Answers a question; `choose` fills what the answer asks for. The question is gone then. */
async function answer(
  page: Page,
  question: RegExp,
  button: string,
  choose?: () => Promise<void>,
): Promise<void> {
  const card = page.locator('.card').filter({ hasText: question })
  await card.getByRole('button', { name: button }).click()
  if (choose) {
    await choose()
    await card.getByRole('button', { name: 'Apply' }).click()
  }
  await card.waitFor({ state: 'detached' })
}

/** A list of customers sets properties of people, since the day that it says. */
async function people({ page }: OpenPage): Promise<void> {
  await page.getByText('Each row is a person').first().waitFor()
  await page.getByRole('button', { name: /^Replace… person/ }).click()
  await page.keyboard.type('Kundennr.')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Took distinct_id from').waitFor()
  await answerAll(page)
  await page.getByRole('combobox', { name: 'Whose property E-Mail is' }).selectOption('person')
  await page.getByRole('status').getByText('a property of the person').waitFor()
}

/** The events of a dataset. */
function eventsOf(out: string): TestEvent[] {
  return readdirSync(out)
    .filter((name) => /^\d{4}-\d\d-\d\d.*\.ndjson$/.test(name))
    .flatMap((name) => readFileSync(join(out, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line))
}

function expectVisits(events: readonly TestEvent[]): void {
  expect(events.find(({ properties }) => properties.Betrag === 1.05 && properties.Gast === 'gast-1')).toEqual(
    {
      uuid: expect.any(String),
      event: 'Seite 001 gesehen',
      distinct_id: 'K-00001',
      // One minute past one in Vienna, in winter.
      timestamp: '2024-02-02T00:01:00.000000Z',
      properties: expect.objectContaining({ Artikelnr: '000001', Bezahlt: true, Merkmale: 'rot|groß' }),
    },
  )
  // Whoever had no customer's number yet is the guest.
  expect(events.filter(({ distinct_id }) => distinct_id.startsWith('gast-'))).toHaveLength(VISITS / 3)
  expect(events.filter(({ properties }) => properties.Betrag === 'auf Anfrage')).toHaveLength(1)
}
