import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ReportData } from '../../src/commands/report/report-data.ts'
import { reducedNotes } from '../../src/commands/report/summing-up.ts'
import { renderReport } from '../../src/html/report/report.tsx'
import { keptOf } from '../../src/imports/verified.ts'
import { daysFrom, eventsManifest, fullReport, HOSTILE_NAMES } from '../helpers/report-page-data.ts'

const BARE: ReportData = {
  title: 'Migration of events/',
  tool: 'posthaul 1.0.0',
  madeAt: '2024-07-02T10:00:00Z',
  figures: [],
  missing: [],
  reduced: [],
  datasets: [],
  imports: [],
  rejects: [],
}
const proof = fullReport().proof!

function titlesOf(page: string): string[] {
  return [...page.matchAll(/<h2[^>]*>(.*?)<\/h2>/g)].map(([, title]) => title!)
}

describe('the page of a report', () => {
  test('allows its one style sheet, by the hash of its very bytes, and nothing else', () => {
    const page = renderReport(fullReport())
    const [, css] = /<style>([\s\S]*?)<\/style>/.exec(page)!
    const hash = createHash('sha256').update(css!).digest('base64')
    expect(page).toContain(
      `content="default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'"`,
    )
    expect(page.match(/<style/g)).toHaveLength(1)
    expect(page).not.toMatch(/<(script|link|iframe|object)| style=|url\((?!#)|@import/)
  })

  test('says first what was moved, whether it arrived and what was left out, then the detail', () => {
    expect(titlesOf(renderReport(fullReport()))).toEqual([
      'What was moved',
      'Whether it all arrived',
      'Count by count',
      'What was left out',
      'What could not be taken',
      'What this page does not show',
    ])
  })

  test('has no section of what was not looked for', () => {
    expect(titlesOf(renderReport(BARE))).toEqual([])
    expect(titlesOf(renderReport({ ...BARE, missing: ['x'] }))).toEqual(['What this page does not show'])
  })

  test('shows control characters and lone surrogates as letters, wherever they are', () => {
    const bad = '\ud800\u0000\u202e'
    const page = renderReport({
      ...BARE,
      title: bad,
      verdict: { level: 'note', title: bad, text: bad },
      missing: [bad],
      rejects: [{ stage: 'import', input: bad, file: bad, total: 0, reasons: { [`one${bad}`]: 1 } }],
    })
    expect(page).not.toMatch(/[\0\u202e\p{Cs}]/u)
    expect(page).toContain('one\\u{d800}␀\\u{202e}')
  })

  test('why events may be missing is kept from a verify, in its words', () => {
    const dropped = { type: 'message_size_too_large', severity: 'error', sampled: 2, example: 'an-id' }
    const types = [dropped, { ...dropped, example: null }]
    const found = { ...proof.found, ingestion_warnings: { unasked: 'no key; add the scope', types } }
    const page = renderReport({ ...BARE, proof: keptOf({ ...proof, found }) })
    for (const words of [
      'the project is over its quota of events, or was when they were imported (up to 3 events)',
      'dropped, 2 sampled, such as an-id: too large',
      'dropped, 2 sampled: too large',
      'ingestion warnings: no key; add the scope',
    ])
      expect(page).toContain(words)
  })

  test('has exact sums of lists that end, and says what was made smaller', () => {
    const names = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, n) => [`${HOSTILE_NAMES[n % 6]} ${n}`, 1]),
    )
    const members = Object.fromEntries(Object.keys(names).map((name) => [name, { 'left out: preset': 3 }]))
    const days = daysFrom('1999-01-01', 10_000)
    const manifest = { ...eventsManifest(days), names, members, filtered: names, other_names: 40 }
    const one = proof.found.differences[0]!
    const found = { ...proof.found, differences: Array.from({ length: 1001 }, () => one) }
    const shown = { rejects: fullReport().rejects, proof: { ...proof, found } }
    const page = renderReport({
      ...fullReport(days),
      ...shown,
      datasets: [{ name: 'events/', manifest }],
      reduced: reducedNotes(shown),
    })
    expect(Buffer.byteLength(page)).toBeLessThan(2_000_000)
    expect(page.slice(page.indexOf('</style>'))).not.toMatch(
      /<(?:img|script)|\0|\p{Cs}|[\u202a-\u202e\u2066-\u2069]/iu,
    )
    expect(page).toMatch(/9,940 other names<\/em><\/th><td class="right">9,980</)
    for (const words of ['901 more differences are in', '9,940 other parts not shown'])
      expect(page).toContain(words)
  })

  test('stays under 2 MB, whatever it is given', () => {
    const data = fullReport(daysFrom('2004-01-01', 800))
    // Each sign is six bytes of a page.
    const quotes = '"'.repeat(500)
    const reasons = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`${n}${quotes}`, n]))
    const names = Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`${n}${quotes.repeat(3)}`, n]))
    const manifest = { ...eventsManifest(daysFrom('2004-01-01', 40)), names, filtered: names }
    const page = renderReport({
      ...data,
      rejects: Array.from({ length: 12 }, () => ({ ...data.rejects[0]!, reasons })),
      datasets: Array.from({ length: 2 }, () => ({ name: quotes, manifest })),
    })
    expect(Buffer.byteLength(page)).toBeLessThan(2_000_000)
    expect(page).toContain('so that this page is under 2 MB.')
    expect(page).toContain('2004-01-01 to 2004-02-09')
  })
})
