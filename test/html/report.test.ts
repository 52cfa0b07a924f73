import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ReportData } from '../../src/commands/report/report-data.ts'
import { renderReport } from '../../src/html/report/report.tsx'
import { daysFrom, fullReport } from '../helpers/report-page-data.ts'

const BARE: ReportData = {
  title: 'Migration of events/',
  tool: 'posthaul 1.0.0',
  madeAt: '2024-07-02T10:00:00Z',
  figures: [],
  missing: [],
  reduced: [],
}

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
      'Events by day',
      'What this page does not show',
    ])
  })

  test.each([
    [false, 'PostHog does not hold the same events: 7 here, 7 there.', 'error'],
    [true, 'PostHog holds these 7 events, every one of them.', 'good'],
  ])('says of a proof that is equal or not what it is: %o', (equal, words, level) => {
    const events = { ...fullReport().proof!.events, here: 7, service: 7 }
    const page = renderReport({ ...BARE, proof: { ...fullReport().proof!, equal, events } })
    const notice = page.lastIndexOf('<div class="notice', page.indexOf(words))
    expect(page.slice(notice)).toMatch(new RegExp(`^<div class="notice ${level}">`))
    expect(page.slice(notice, notice + 500)).toContain(words)
  })

  test('has no section of what was not looked for', () => {
    expect(titlesOf(renderReport(BARE))).toEqual([])
    const { days } = fullReport()
    expect(titlesOf(renderReport({ ...BARE, days: days! }))).toEqual(['Events by day'])
  })

  test('shows control characters and lone surrogates as letters, wherever they are', () => {
    const bad = '\ud800\u0000\u202e'
    const page = renderReport({
      ...BARE,
      title: bad,
      verdict: { level: 'note', title: bad, text: bad },
      missing: [bad],
      rejects: [
        { stage: 'import', input: bad, total: 0, reasons: [], otherReasons: 0, mend: `one${bad}\ntwo` },
      ],
    })
    expect(page).not.toMatch(/[\0\u202e\p{Cs}]/u)
    expect(page).toContain('one\\u{d800}␀\\u{202e}\ntwo')
  })

  test('stays under 2 MB, whatever it is given', () => {
    const data = fullReport(daysFrom('2004-01-01', 800))
    // Each sign is six bytes of a page.
    const [record, message] = ['"'.repeat(500), '"'.repeat(500)]
    const reasons = Array.from({ length: 20 }, (_, n) => ({
      reason: `${n}${message}`,
      count: n,
      examples: Array.from({ length: 3 }, () => ({ record, message })),
    }))
    const rejects = Array.from({ length: 12 }, () => ({ ...data.rejects![0]!, reasons }))
    const page = renderReport({ ...data, rejects })
    expect(Buffer.byteLength(page)).toBeLessThan(2_000_000)
    expect(page).toContain('so that this page is under 2 MB.')
  })
})
