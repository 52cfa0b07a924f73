import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { makeFolder } from '../helpers/folder.ts'
import { fileSandbox, sandboxEnv } from '../helpers/sandbox-env.ts'
import { unfolded } from '../helpers/unfolded.ts'

/*
 * From records with a hostile name and two broken lines to a page: before an import, and after one that verified.
 */
const HOSTILE = '</script><img src=x onerror=alert(1)>'
const folder = makeFolder()
const sandbox = await fileSandbox()
const lines = Array.from({ length: 60 }, (_, n) => {
  const timestamp = new Date(Date.UTC(2024, 0, 1 + (n % 3))).toISOString()
  const event = n % 2 === 0 ? 'signup' : HOSTILE
  return JSON.stringify({
    event,
    distinct_id: `u${n % 7}`,
    timestamp,
    properties: { n, [HOSTILE]: HOSTILE },
  })
})
writeFileSync(join(folder, 'raw.ndjson'), `${lines.join('\n')}\n${HOSTILE}\n{"event":"${HOSTILE}"}\n`)
await exits(3, run(['transform', '--preset', 'posthog', '--in', 'raw.ndjson', '--out', 'events/']))

function run(argv: readonly string[], { key = true } = {}) {
  const { POSTHOG_PERSONAL_API_KEY: personal, ...env } = sandboxEnv(sandbox)
  return runHosted(argv, { ...env, ...(key && { POSTHOG_PERSONAL_API_KEY: personal! }) }, folder)
}

function page(name: string): string {
  const html = readFileSync(join(folder, name), 'utf8')
  expect(html.slice(html.indexOf('</style>')).match(/<(?:img|script)/)).toBeNull()
  expect(html.length).toBeLessThan(2_000_000)
  return html
}

test('before the import the page says that nothing was sent, and shows the rejects as text', async () => {
  const ran = await exits(0, run(['report', 'events/', '--out', 'before.html', '--json'], { key: false }))
  const summary = JSON.parse(ran.stdout)
  expect(summary).toMatchObject({ command: 'report', asked: null, equal: null, out: 'before.html' })
  expect(summary.missing.join('\n')).toMatch(
    /no import of events\/ was found[\s\S]*no verify of these datasets/,
  )
  const html = page('before.html')
  expect(html).toContain('report takes the same --state or --checkpoint as the import')
  expect(html).toContain('bad_json')
})

test('after an import that verified, a report has the proof', async () => {
  const fast = ['--approved', '--max-events-per-minute', '1000000']
  await exits(0, run(['import', '--dataset', 'events/', ...fast, '--verify']))
  const ran = await run(['report', 'events/', '--out', 'after.html', '--json'], { key: false })
  expect(JSON.parse(ran.stdout)).toMatchObject({ equal: true, asked: expect.stringMatching(/^20/) })
  expect(page('after.html')).toContain('All 60 events are in PostHog, exactly')
})

test('a part that is missing or cut is named by report and verify', async () => {
  const part = join(folder, 'events', '2024-01-02.ndjson')
  const bytes = readFileSync(part)
  const missing = async () => {
    const report = await exits(
      0,
      run(['report', 'events/', '--out', 'damaged.html', '--json'], { key: false }),
    )
    return JSON.parse(report.stdout).missing
  }
  writeFileSync(part, bytes.subarray(0, 100))
  expect(await missing()).toContainEqual(expect.stringMatching(/2024-01-02\.ndjson has 100 bytes/))
  rmSync(part)
  expect(await missing()).toContainEqual(
    expect.stringMatching(/2024-01-02\.ndjson is missing: put the file back/),
  )
  const verify = await run(['verify', 'events/'])
  expect([verify.code, verify.stdout]).toEqual([6, ''])
  expect(unfolded(verify.stderr)).toContain('2024-01-02.ndjson is missing')
  writeFileSync(part, bytes)
})

test('a file that the manifest does not name is told by check, import and report, and is no error', async () => {
  const stray = join(folder, 'events', '2024-01-09.ndjson')
  writeFileSync(stray, readFileSync(join(folder, 'events', '2024-01-02.ndjson')))
  const told = /2024-01-09\.ndjson is not in the manifest of the dataset: it will not be sent/
  const check = await run(['check', 'events/', '--json'], { key: false })
  const [problem] = JSON.parse(check.stdout).problems.filter(
    ({ code }: { code: string }) => code === 'unnamed_files',
  )
  expect([check.code, problem]).toEqual([
    0,
    expect.objectContaining({ level: 'warning', count: 1, example: expect.stringMatching(told) }),
  ])
  const dry = await run(['import', '--dataset', 'events/', '--dry-run'], { key: false })
  const again = await run(['import', '--dataset', 'events/'])
  expect([dry.code, again.code]).toEqual([0, 0])
  for (const ran of [dry, again]) expect(unfolded(ran.stdout + ran.stderr)).toMatch(told)
  const report = await run(['report', 'events/', '--out', 'stray.html', '--json'], { key: false })
  expect(JSON.parse(report.stdout).missing).toContainEqual(expect.stringMatching(told))
  rmSync(stray)
})

test('mended rejects count once', async () => {
  const [first] = readFileSync(join(folder, 'events', 'rejects.ndjson'), 'utf8').split('\n')
  const record = '{"event":"late","distinct_id":"u1","timestamp":"2024-01-01T00:00:00Z","properties":{}}'
  const mended = JSON.stringify({ ...JSON.parse(first!), record })
  writeFileSync(join(folder, 'mended.rejects.ndjson'), `${mended}\n`)
  const words = ['--preset', 'posthog', '--in', 'mended.rejects.ndjson', '--out', 'events-mended/']
  await exits(0, run(['transform', ...words]))
  await run(['report', 'events/', 'events-mended/', '--out', 'both.html'], { key: false })
  const both = readFileSync(join(folder, 'both.html'), 'utf8')
  expect(both).toContain('2 by transform, less 1 that were transformed again')
  expect(both).toMatch(/Records read<[^>]*>(?:<[^>]*>)*62</)
})

test('the proof of a dataset that was made anew is not its own', async () => {
  const raw = readFileSync(join(folder, 'raw.ndjson'), 'utf8')
  writeFileSync(join(folder, 'raw.ndjson'), raw.split('\n').slice(3).join('\n'))
  await run(['transform', '--preset', 'posthog', '--in', 'raw.ndjson', '--out', 'events/'])
  const ran = await run(['report', 'events/', '--out', 'anew.html', '--json'], { key: false })
  const { equal, missing } = JSON.parse(ran.stdout)
  expect(equal).toBeNull()
  expect(missing.join('\n')).toContain('before they were made anew')
})

test('a file that is no page of posthaul is left alone', async () => {
  writeFileSync(join(folder, 'mine.html'), '<h1>mine</h1>')
  const refused = await run(['report', 'events/', '--out', 'mine.html'], { key: false })
  expect([refused.code, readFileSync(join(folder, 'mine.html'), 'utf8')]).toEqual([2, '<h1>mine</h1>'])
  await exits(0, run(['report', 'events/', '--out', 'mine.html', '--overwrite'], { key: false }))
  await exits(0, run(['report', 'events/', '--out', 'mine.html'], { key: false }))
  await exits(2, run(['report', 'gone/', '--out', 'gone.html']))
  expect(existsSync(join(folder, 'gone.html'))).toBe(false)
})
