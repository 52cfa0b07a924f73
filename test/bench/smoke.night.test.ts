import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { compiled, ROOT } from './paths.ts'

// Compiled by `npm run build:bench`. The contenders' events must be the same; their times are not checked.
test('the bench runs, and its contenders give the same events', () => {
  const out = execFileSync(process.execPath, [compiled('main.ts'), '--smoke', '--json', '--against', ROOT], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { plan, rows, stages } = JSON.parse(out) as {
    plan: string
    rows: { measured: string }[]
    stages: { history: string; by: Record<string, number> }[]
  }
  expect(plan).toBe('smoke')
  const measured = rows.map((row) => row.measured.split(/[ ,]/)[0])
  expect(new Set(measured)).toEqual(
    new Set(['transform', 'raw', 'processor', 'record', 'import', 'export', 'peak', 'time', '`posthaul']),
  )
  expect(stages.map(({ history }) => history)).toEqual(
    ['mixpanel wild', 'amplitude', 'csv'].flatMap((history) => [history, history]),
  )
  for (const { by } of stages.filter((_, at) => at % 2 === 0)) {
    expect(by).toMatchObject({ build: expect.any(Number), scan: expect.any(Number) })
    expect(by.build).toBeGreaterThan(0)
  }
})

test('the bench of memory runs, of every kind', () => {
  const out = execFileSync(process.execPath, [compiled('main.ts'), '--memory', '--smoke'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const commands = [...out.matchAll(/^\| `([a-z ]+)` \|.* (\d+) MB \|$/gm)].map(([, command]) => command)
  expect(new Set(commands)).toEqual(new Set(['transform', 'check', 'import', 'verify']))
})
