import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { width } from '../../src/text/visible.ts'
import { runCommand } from '../helpers/command.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { allWalks, deliver } from '../helpers/walks.ts'

// What a dry run shows, letter by letter, and that no line is wider than the terminal.

/** A folder to run in, so that no path of this machine is shown. */
function inFolder(files: Readonly<Record<string, string>> = {}): void {
  const here = process.cwd()
  process.chdir(testFolder())
  onTestFinished(() => process.chdir(here))
  for (const [name, text] of Object.entries(files)) writeFileSync(name, text)
}

/** What a dry run prints, without its time. `screen`: the width; undefined for a pipe. */
async function dryRun(argv: readonly string[], screen?: number) {
  const ran = await runCommand(['transform', ...argv, '--dry-run'], {
    ...(screen !== undefined && { columns: screen, screen }),
    built: true,
  })
  // Without the last line, which a terminal does not have either.
  const text = (argv.includes('--json') ? ran.stderr : ran.stdout + ran.stderr)
    .replace(/after \d+\.\d s/, 'after 0.5 s')
    .replace(/^\d{4}-.*\(exit code \d+\)\n/m, '')
  // A command stays on one line, however long, so that it can be pasted.
  for (const line of text.split('\n').filter((one) => !/^ {2}(?:next|once that is mended): /.test(one)))
    expect(width(line), line).toBeLessThanOrEqual(screen ?? 80)
  return { code: ran.code, stdout: ran.stdout, text, flat: text.replaceAll(/\s+/g, ' ') }
}

const CASES = [
  { vendor: 'mixpanel', name: 'mixpanel', nth: 0, columns: 80 },
  // The name of its table is longer than the terminal is wide.
  { vendor: 'amplitude', name: 'amplitude-join', nth: 1, columns: 40 },
]

test.each(CASES)('$name at $columns columns', async ({ vendor, name, nth, columns }) => {
  inFolder()
  mkdirSync('raw')
  await deliver(vendor, 'raw')
  const walk = allWalks().filter((one) => one.vendor === vendor)[nth]!
  const args = walk.args.map((word) => word.replace('{walk}', 'raw'))
  const { text } = await dryRun(['--in', ...walk.in.map((one) => `raw/${one}`), ...args], columns)
  await expect(text).toMatchFileSnapshot(`../golden/dry-run/${name}-${columns}.txt`)
  const summary = text.slice(text.indexOf('transform: dry run'), text.indexOf('  next: '))
  if (columns === 80) expect(summary.trimEnd().split('\n').length).toBeLessThanOrEqual(24)
})

interface Line {
  readonly event?: string
  readonly day?: number
  readonly more?: object
}

function lines(...all: readonly Line[]): string {
  const text = ({ event = 'Seen', day = 1, more = {} }: Line, n: number) =>
    JSON.stringify({
      event,
      properties: {
        time: 1_709_280_000 + day * 86_400 + n,
        distinct_id: `u-${n}`,
        $insert_id: `i-${n}`,
        ...more,
      },
    })
  return `${all.map(text).join('\n')}\n`
}

const MIXPANEL = ['--preset', 'mixpanel', '--in', 'in.ndjson']

test('records differ by name, members and day, and six are shown at most', async () => {
  const usual = Array.from({ length: 40 }, () => ({}))
  inFolder({
    'in.ndjson': lines(
      ...usual,
      { event: 'Rare' },
      ...usual,
      { day: 9 },
      ...usual,
      { more: { plan: 'pro' } },
      ...usual,
    ),
  })
  const { records } = JSON.parse((await dryRun([...MIXPANEL, '--json'])).stdout).preview
  expect(records.map(({ line }: { line: number }) => line)).toEqual([1, 2, 3, 41, 82, 123])
  expect(records[3]).toMatchObject({ file: 'in.ndjson', record: expect.stringContaining('"Rare"') })
  expect(JSON.parse(records[3].events[0])).toMatchObject({ event: 'Rare', distinct_id: 'u-40' })
  const { text } = await dryRun(MIXPANEL)
  expect(text.match(/^\d+\. in\.ndjson:\d+: /gm)).toHaveLength(6)
})

test('names and rejects are counted in all files, and the example is the first of them', async () => {
  const bad = (id: string) =>
    `${JSON.stringify({ event: 'Late', properties: { time: 'soon', distinct_id: id } })}\n`
  inFolder({
    'a.ndjson': lines({ event: 'Signed Up' }, { event: 'ping' }, { event: '$mp_page_leave' }),
    'b.ndjson': `${lines({ event: 'Signed Up' })}${bad('first')}${bad('second')}`,
    'mapping.yaml': 'preset: mixpanel\nevents:\n  drop: [ping]\n  rename: { Signed Up: user signed up }\n',
  })
  const argv = '--map mapping.yaml --in a.ndjson b.ndjson --max-reject-ratio 1 --workers 2'.split(' ')
  const { text, flat } = await exits(3, dryRun(argv))
  expect(flat).toContain('read 6 all records of the input: what follows is of all of them')
  expect(text).toMatch(/^ {2}Signed Up +user signed up +2$/m)
  expect(text).toMatch(/^ {2}ping +– left out +1$/m)
  expect(text).toMatch(/^ {2}\$mp_page_leave +\$pageleave +1$/m)
  expect(text).toMatch(/^ {2}Late +– rejected +2$/m)
  expect(text).toMatch(/^ {2}rejected {2}2 x timestamp_unparsable: .*\n(?: {12}.*\n)*.*"first"/m)
  const { preview } = JSON.parse((await dryRun([...argv, '--json'])).stdout)
  expect(preview.names).toContainEqual({
    from: 'Signed Up',
    outcome: 'event',
    to: 'user signed up',
    records: 2,
  })
  expect(preview.rejects).toMatchObject([
    { reason: 'timestamp_unparsable', record: expect.stringContaining('"first"') },
  ])
})

test('what is of a sample is said to be so, and so is what a run has read that stopped', async () => {
  inFolder({
    'in.ndjson': lines(...Array.from({ length: 50 }, () => ({}))),
    'bad.ndjson': `${lines({})}{bad\n`,
  })
  const sample = await dryRun([...MIXPANEL, '--sample', '10'])
  expect(sample.flat).toContain('read 10 the sample: what follows is of these alone')
  expect(sample.flat).toContain('next: posthaul transform --preset mixpanel --in in.ndjson --out events/')
  const stopped = await exits(2, dryRun(['--preset', 'mixpanel', '--in', 'bad.ndjson']))
  expect(stopped.flat).toContain('read 2 before it stopped: what follows is of these alone')
  expect(stopped.flat).toContain('1 x bad_json')
  expect(stopped.flat).toContain('{bad')
})

test('an empty input has no records to show; one record is shown alone', async () => {
  inFolder({ 'empty.ndjson': '', 'one.ndjson': lines({ event: 'Only' }) })
  const empty = await exits(2, dryRun(['--preset', 'mixpanel', '--in', 'empty.ndjson']))
  expect(empty.text).not.toContain('beside')
  const one = await dryRun(['--preset', 'mixpanel', '--in', 'one.ndjson'], 40)
  expect(one.flat).toMatch(/^1 record beside what becomes of it, .* 1\. one\.ndjson:1: Only, 2024-03-02 /)
})

test('a very wide record takes few lines', async () => {
  const names = Array.from({ length: 3000 }, (_, n) => [
    `名前 ${n} ${'x'.repeat(n % 90)}`,
    'é'.repeat(n % 50),
  ])
  inFolder({
    'in.ndjson': lines({
      event: 'E'.repeat(500),
      more: { ...Object.fromEntries(names), long: 'l'.repeat(100_000) },
    }),
  })
  const { text } = await dryRun(MIXPANEL, 40)
  expect(text).toContain('1. in.ndjson:1')
  expect(text.split('\n').length).toBeLessThan(90)
})
