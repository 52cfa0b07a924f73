import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOOKS, useBrowser } from '../helpers/browser.ts'
import { runHosted } from '../helpers/command-host.ts'
import { makeFolder } from '../helpers/folder.ts'
import { startStudio } from '../helpers/studio.ts'

// A shop's table is mapped to its end by who knows no YAML: everything is clicked or chosen from a list.

const NAMES = 300
const ROWS = 900

const folder = makeFolder()
const csv = join(folder, 'shop.csv')
const mapping = join(folder, 'mapping.yaml')
const browser = useBrowser()
let studio: Awaited<ReturnType<typeof startStudio>> | undefined

beforeAll(async () => {
  if (!browser()) return
  writeFileSync(csv, table())
  studio = await startStudio(mapping, '--in', csv)
})
afterAll(() => studio?.stop())

/** German headers, decimal commas, a day and a time of day, codes with leading zeros; one row in three has no customer. */
function table(): string {
  const lines = ['Aktion;Kundennr.;Gast;Datum;Uhrzeit;Betrag;Artikelnr;Bezahlt;Merkmale']
  for (let at = 0; at < ROWS; at++) {
    const two = (value: number) => String(value).padStart(2, '0')
    const name = `Seite ${String(at % NAMES).padStart(3, '0')} gesehen`
    const customer = at % 3 === 0 ? '' : `K-${String(at % 17).padStart(5, '0')}`
    const amount = at === 700 ? 'auf Anfrage' : at % 2 === 0 ? `1.${100 + at},50 €` : `${at % 90},05 €`
    lines.push(
      [name, customer, `gast-${at % 40}`, `${two(1 + (at % 28))}.03.2024`, `${two(at % 24)}:${two(at % 60)}`]
        .concat([amount, String(at % 50).padStart(6, '0'), at % 2 === 0 ? 'f' : 't', 'rot|groß'])
        .join(';'),
    )
  }
  return `${lines.join('\n')}\n`
}

test('a table is mapped by clicks alone, and transform makes the right events of it', async () => {
  const open = browser()
  if (!open) return
  const { page, complaints, look, scrollsSideways, accessibilityFindings, shoot, close } = await open(
    studio!.url,
  )
  await page.getByRole('navigation').getByRole('link', { name: 'Set up' }).click()
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

  await page.getByRole('navigation').getByRole('link', { name: 'Events' }).click()
  await page.getByText(`${NAMES} names in all ${ROWS} records`).waitFor()
  await page.getByLabel('Search all names').fill('299')
  await page.getByRole('rowheader', { name: 'Seite 299 gesehen' }).waitFor()
  await page.getByRole('button', { name: 'Drop Seite 299 gesehen' }).click()
  await page.getByRole('status').getByText('Dropped “Seite 299 gesehen”').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').getByText('Saved to').waitFor()
  expect(complaints).toEqual([])
  await close()

  expect(readFileSync(mapping, 'utf8')).not.toContain('# ?')
  const out = join(folder, 'events')
  const { stdout } = await runHosted(['transform', '--map', mapping, '--in', csv, '--out', out, '--json'])
  expect(JSON.parse(stdout).counts).toMatchObject({ read: ROWS, rejected: 0, filtered: ROWS / NAMES })
  const events = eventsOf(out)
  expect(events).toHaveLength(ROWS - ROWS / NAMES)
  expect(events.find(({ properties }) => properties.Betrag === 1.05 && properties.Gast === 'gast-1')).toEqual(
    {
      uuid: expect.any(String),
      event: 'Seite 001 gesehen',
      distinct_id: 'K-00001',
      // One minute past one in Vienna, in winter.
      timestamp: '2024-03-02T00:01:00.000000Z',
      properties: expect.objectContaining({
        Betrag: 1.05,
        Artikelnr: '000001',
        Bezahlt: true,
        Merkmale: 'rot|groß',
      }),
    },
  )
  // Whoever had no customer's number yet is the guest.
  expect(events.filter(({ distinct_id }) => distinct_id.startsWith('gast-'))).toHaveLength(ROWS / 3)
  expect(events.filter(({ properties }) => properties.Betrag === 'auf Anfrage')).toHaveLength(1)
})

interface Sent {
  readonly event: string
  readonly distinct_id: string
  readonly timestamp: string
  readonly properties: Readonly<Record<string, unknown>>
}

/** The events of a dataset. */
function eventsOf(out: string): Sent[] {
  return readdirSync(out, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.startsWith('parts') || /\d{4}-\d\d-\d\d.*\.ndjson(\.gz)?$/.test(name))
    .flatMap((name) => readFileSync(join(out, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as Sent)
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
