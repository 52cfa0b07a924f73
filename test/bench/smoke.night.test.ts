import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { compiled, ROOT } from './process.ts'

// Compiled by `npm run build:bench`. The contenders' events must be the same; their times are not checked.
test('the bench runs, and its contenders give the same events', () => {
  const out = execFileSync(process.execPath, [compiled('main.js'), '--smoke', '--json', '--against', ROOT], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { plan, rows } = JSON.parse(out) as { plan: string; rows: { measured: string }[] }
  expect(plan).toBe('smoke')
  const measured = rows.map((row) => row.measured.split(/[ ,:]/)[0])
  const kinds = ['transform', 'import', 'export', 'verify', '`posthaul', 'peak', 'growth']
  expect([...new Set(measured)]).toEqual(kinds)
})
