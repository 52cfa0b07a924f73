import { expect, test } from 'vitest'
import { exportTablesText } from '../../../src/cli/text/export-tables.ts'
import type { ExportListResult } from '../../../src/jobs/results.ts'

type Listed = ExportListResult['tables'][number]

const UNKNOWN = {
  ...{ schema: null, view: false, rows: null, bytes: null, first: null, last: null },
  ...{ times: [], keys: [], problem: null },
}
const listed = (parts: Partial<Listed> & { name: string }): Listed => ({ ...UNKNOWN, ...parts })

function text(argv: readonly string[], tables: readonly Listed[], shapes: readonly string[] = []): string {
  const result = { version: 1, command: 'export --list', vendor: 'bigquery', server: 'A server' } as const
  return exportTablesText({ ...result, shapes: [...shapes], tables: [...tables] }, argv, 200)
}

const nextOf = (shown: string) => /next: (.*)/.exec(shown.replaceAll(/\n {4}/g, ' '))?.[1]
const ARGV = ['export', 'bigquery', '--dataset', 'p.d', '--list']

test('what comes next is an export of the largest table with a time, from its first day, of the same dataset', () => {
  const shown = text(ARGV, [
    listed({ name: 'empty', rows: 0, times: ['at'] }),
    listed({
      name: 'large',
      rows: 9,
      times: ['made_at', 'at'],
      first: '2023-05-06 07:08:09',
      last: '2024-01-01',
    }),
    listed({ name: 'untimed', rows: 99, keys: ['id'] }),
  ])
  expect(nextOf(shown)).toBe(
    'posthaul export bigquery --dataset p.d --table large --time-column made_at --from 2023-05-06 --out raw/',
  )
})

test('of a shape in a schema it names both', () => {
  const argv = ['export', 'postgres', '--list', '--schema', 'web', '--json']
  expect(nextOf(text(argv, [listed({ name: 'website_event', times: ['at'] })], ['umami']))).toBe(
    'posthaul export postgres --schema web --like umami --from 2024-03-01 --out raw/',
  )
})

test('a table that is gone is shown, and why it has no columns', () => {
  const shown = text(ARGV, [listed({ schema: 'app', name: 'gone', problem: 'relation does not exist' })])
  expect(shown).toMatch(/^ {2}app\.gone +\? +\?$/m)
  expect(shown).toContain("? app.gone can't be read: relation does not exist")
  expect(shown).not.toContain('next:')
})
