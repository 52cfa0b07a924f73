import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { flagOf } from '../../src/options/row.ts'
import * as telemetryRows from '../../src/options/telemetry-rows.ts'
import { runCommand } from '../helpers/command.ts'
import { COMMANDS, optionsIn, pathOf, type ShownOption } from '../helpers/commands.ts'
import { countedDataset } from '../helpers/counted-dataset.ts'
import { makeFolder } from '../helpers/folder.ts'
import { type OddServer, oddServer } from '../helpers/odd-server.ts'
import { unfolded } from '../helpers/unfolded.ts'

/** Of every option whose value is not any text: one that is good, one that is wrong, and what must be said. */
const VALUES: Readonly<Record<string, readonly [good: string, wrong: string, words: string]>> = {
  '--base-url': ['https://proxy.example.com', 'http://proxy.example.com', 'in the clear'],
  '--batch-events': ['10', '0', 'expected a whole number from 1 to 10000'],
  '--big-integers': ['keep', 'round', 'expected keep or string'],
  '--changed': ['keep', 'maybe', 'expected resend or keep'],
  '--concurrency': ['2', '101', 'expected a whole number from 1 to 100'],
  '--events': ['100', '99', 'expected a whole number from 100 on'],
  '--format': ['json', 'xml', 'expected table, json or ndjson'],
  '--from': ['2024-03-01', '2024-02-30', 'expected a UTC time such as 2024-03-01'],
  '--group-profiles': ['company=1', 'company', 'expected a group type and its data group id'],
  '--host': ['https://ph.example.com', 'ftp://ph.example.com', 'keys would travel in the clear'],
  '--accept': ['hidden_events', 'all', 'hidden_events'],
  '--keep-persons': ['yes', 'maybe', 'expected yes or no'],
  '--lanes': ['2', '65', 'expected a whole number from 1 to 64'],
  '--limit': ['5', 'ten', 'expected a whole number from 1 on'],
  '--notify-webhook': ['https://chat.example/hook', 'ftp://chat.example', 'is not an address'],
  '--line': ['3', 'x', 'expected a number from 1 on'],
  '--log-format': ['text', 'xml', 'expected text or json'],
  '--max-events': ['5', '-5', 'expected a whole number from 1 on'],
  '--max-events-per-minute': ['50', '2', 'expected a whole number from 3 on'],
  '--max-reject-ratio': ['0.5', '50%', 'expected a number from 0 to 1'],
  '--person-properties': ['set_once', 'set-once', 'expected set, set_once or drop'],
  '--port': ['0', '70000', 'expected a whole number from 0 to 65535'],
  '--preset': ['posthog', 'mixpannel', 'did you mean mixpanel?'],
  '--project-id': ['1', '../2', 'expected the number that `posthaul projects list` shows'],
  '--region': ['us', 'mars', 'expected us'],
  '--requests-per-hour': ['100', '1.5', 'expected a whole number from 1 on'],
  '--retry-for': ['1h', 'soon', 'expected a time such as 90s'],
  '--sample': ['all', 'some', 'expected a whole number, or all'],
  'transform --sample': ['100', '0', 'expected a whole number from 1 to 100000'],
  '--seed': ['1', '-1', 'expected a whole number from 0 on'],
  '--site': ['3', 'shop', 'expected a whole number from 1 on'],
  '--source-timezone': ['Europe/Vienna', '+02:00', 'expected the name of a time zone'],
  '--source': ['files', 'heap', 'expected mixpanel'],
  '--storage': ['json', 'xml', 'expected json or table'],
  '--stop-after': ['55m', '55', 'expected a time such as 90s'],
  '--days': ['2023-01-01..', '2023-01-01', 'expected two days such as'],
  '--replaces-key': ['0123456789abcdef', 'phc', 'expected 16 hex digits'],
  '--timeout': ['5m', '5 m', 'expected a time such as 90s'],
  '--to': ['2024-03-02', 'today', 'expected a UTC time such as 2024-03-01'],
  '--wait': ['10m', 'long', 'expected a time such as 90s'],
  '--until': ['check', 'send', 'expected export, transform, check, import'],
  '--uuid': ['018f3c6e-1c2b-7a10-9f00-0123456789ab', 'x', 'expected a uuid'],
  '--url': ['https://stats.example.com/matomo', 'http://stats.example.com', 'in the clear'],
  '--via': ['rest', 'list', 'expected rest or query'],
  'studio --sample': ['100', 'all', 'expected a whole number from 1 to 100000'],
  'run --from': ['import', 'send', 'expected export, transform, check, import'],
  'export posthog --via': ['query', 'rest', 'expected query or downloads'],
  'doctor --via': ['v1', 'v2', 'expected batch or v1'],
  'import --via': ['v1', 'v2', 'expected batch or v1'],
  '--metrics-file': ['run.prom', 'run.txt', 'expected a name that ends in .prom'],
  '--overlap': ['2d', 'soon', 'expected a time such as 90s'],
  '--people': ['500', '0', 'expected a whole number from 1 to 100000'],
  'transform --days': ['7', '0', 'expected a whole number from 1 to 366'],
  '--as': ['csv', 'xml', 'expected ndjson, csv or tsv'],
  '--window-format': ['YYYYMMDD', 'YYYY-MM', 'a time format has a year, a month and a day'],
  '--window': ['2h', '5h', 'expected whole hours that divide a day'],
  '--workers': ['1', '0', 'expected a whole number from 1 on'],
}
/** Options of any text: names, paths, and what the service or the preset must be asked about. */
const FREE = `--after --checkpoint --config --count --data --dataset --dir --event --fault --file --fixtures
  --group-type --import-id --join --key --in --map --missing --out --project-key
  --project-setting --property --request --run --search --state --store --trial --type --value
  --with --work-dir`.split(/\s+/)
const isFree = (name: string, flag: string) => FREE.includes(flag) && !(`${name} ${flag}` in VALUES)
/** The commands that have options of their own. */
const LEAVES = COMMANDS.filter((name) => !['', 'export', 'groups', 'preset', 'projects'].includes(name))

const folder = makeFolder()
let server: OddServer
let env: Record<string, string>
const shown = new Map<string, ShownOption[]>()
beforeAll(async () => {
  for (const name of LEAVES) shown.set(name, await optionsIn(name))
  await writeFile(join(folder, 'events.ndjson'), '{"event":"a","properties":{"distinct_id":"u"}}\n')
  await countedDataset(join(folder, 'dataset'), { '2024-03-01': { $pageview: 2 } })
  server = await oddServer(() => ({ status: 500, body: 'nobody must ask' }))
  env = {
    POSTHOG_HOST: server.url,
    POSTHOG_PROJECT_API_KEY: 'phc_test',
    POSTHOG_PERSONAL_API_KEY: 'phx_test',
    MIXPANEL_API_SECRET: 'secret',
    AMPLITUDE_API_KEY: 'key',
    AMPLITUDE_SECRET_KEY: 'secret',
    MATOMO_TOKEN: 'token',
    POSTHOG_SOURCE_HOST: server.url,
    POSTHOG_SOURCE_PROJECT_ID: '1',
    POSTHOG_SOURCE_API_KEY: 'phx_test',
  }
  return () => server.close()
})

/** What each command needs to begin its work: a mistake beside it must be found before that. */
function enough(name: string): string[] {
  const out = ['--out', join(folder, 'out')]
  if (name === 'transform') return ['--preset', 'posthog', '--in', join(folder, 'events.ndjson'), ...out]
  if (name === 'import') return ['--dataset', join(folder, 'dataset')]
  if (name === 'check' || name === 'verify') return [join(folder, 'dataset')]
  if (name === 'status') return [join(folder, 'none.checkpoint.json')]
  const matomo = name === 'export matomo' ? ['--url', server.url, '--site', '1'] : []
  if (name.startsWith('export')) return ['--from', '2024-03-01', '--to', '2024-03-02', ...matomo, ...out]
  if (name === 'groups export') return ['--all-types', ...out]
  if (name === 'run') return [join(folder, 'none.yaml')]
  if (name === 'demo') return ['--dir', join(folder, 'out')]
  const words: string[] = []
  for (const flag of ['--type', '--key', '--property']) {
    if (shown.get(name)?.some((option) => option.flag === flag)) words.push(flag, 'x')
  }
  return words
}

/** Runs a command that must end with exit code 2 before it does anything; resolves to what it says. */
async function refused(name: string, flag: string, words: readonly string[], more = {}): Promise<string> {
  const usual = enough(name)
  const kept = usual.filter((word, at) => word !== flag && usual[at - 1] !== flag)
  // Interrupted from the start: a command that takes the mistake for sound ends all the same.
  const options = { env: { ...env, ...more }, signal: AbortSignal.abort('SIGTERM') }
  const ran = await runCommand([...pathOf(name), ...kept, ...words], options)
  const said = unfolded(ran.stderr)
  expect([ran.code, ran.stdout], `${name} ${words.join(' ')}: ${said}`).toEqual([2, ''])
  expect([server.asked.length, existsSync(join(folder, 'out'))], `${name} ${words.join(' ')}`).toEqual([
    0,
    false,
  ])
  return said
}

/** Two commands may have an option of one name and of other values. */
const valuesOf = (name: string, flag: string) => VALUES[`${name} ${flag}`] ?? VALUES[flag]
const valued = (name: string) => shown.get(name)!.filter((option) => option.takesValue)

describe.each(LEAVES)('%s', (name) => {
  test('every option that takes a value is in the table above', () => {
    const unknown = valued(name).filter(({ flag }) => !isFree(name, flag) && !valuesOf(name, flag))
    expect(unknown).toEqual([])
  })

  test('a wrong value is refused, with what was expected', async () => {
    for (const { flag } of valued(name)) {
      if (isFree(name, flag)) continue
      const [, wrong, words] = valuesOf(name, flag)!
      const said = await refused(name, flag, [flag, wrong])
      expect(said).toContain(words)
      expect(said).toContain(flag)
    }
  })

  test('an empty value is refused', async () => {
    for (const { flag } of valued(name)) expect(await refused(name, flag, [flag, ''])).toContain(flag)
  })

  test('one value given twice is refused', async () => {
    for (const { flag, takesSeveral } of valued(name)) {
      if (takesSeveral) continue
      const good = isFree(name, flag) ? 'x' : valuesOf(name, flag)![0]
      for (const twice of [
        [flag, good, flag, good],
        [`${flag}=${good}`, `${flag}=${good}`],
      ]) {
        expect(await refused(name, flag, twice)).toContain(`posthaul: ${flag} is given twice`)
      }
    }
  })

  test('a misspelt option is named, before one that is missing', async () => {
    for (const { flag } of shown.get(name)!) {
      const ran = await runCommand([...pathOf(name), `${flag}x`, 'y'])
      expect([ran.code, ran.stdout]).toEqual([2, ''])
      expect(ran.stderr).toMatch(
        new RegExp(`^posthaul: unknown option '${flag}x'\n  did you mean .*${flag}\\b`),
      )
      expect(ran.stderr).toContain(`options: posthaul ${name} --help`)
    }
  })

  test('its own options come first in help, those that commands share after them, and how they report last', () => {
    const shared = ['--region', '--host', '--project-id', '--config']
    const reporting = Object.values(telemetryRows).map(flagOf)
    const vendors = name.startsWith('export') || name === 'sandbox'
    const order = shown
      .get(name)!
      .map(({ flag }) => flag)
      .filter((flag) => !flag.endsWith('-key-stdin'))
      .map((flag) => {
        if (reporting.includes(flag)) return 2
        return shared.includes(flag) && !vendors ? 1 : 0
      })
    expect(order).toEqual([...order].sort((a, b) => a - b))
  })
})

describe('what is missing is said', () => {
  test.each([
    ['transform', '--in'],
    ['export mixpanel', '--from', '--to', '2024-03-01'],
    ['export amplitude', '--out', '--from', '2024-03-01'],
    ['groups export', '--out', '--all-types'],
    ['groups list', '--type'],
    ['groups find', '--key', '--type', '0'],
    ['groups property-values', '--property', '--type', '0'],
  ])('%s: %s', async (name, flag, ...more) => {
    const ran = await runCommand([...pathOf(name), ...more], { env })
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toContain(`posthaul: ${flag} is missing\n  add ${flag} <`)
    expect(ran.stderr).toContain(`options: posthaul ${name} --help`)
  })

  test('also the value of an option', async () => {
    const ran = await runCommand(['transform', '--in', 'x', '--out'])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toBe(
      'posthaul: --out needs a value: --out <store>\n  options: posthaul transform --help\n',
    )
  })
})

describe('an argument that no option takes is refused', () => {
  test.each([
    [['transform', 'raw/'], 'unexpected argument "raw/"\n  did you mean --in raw/?'],
    [['check', 'a', 'b'], 'unexpected argument "b"\n  leave it out'],
    [['demo', 'x'], 'unexpected argument "x": this command takes options only\n  leave it out'],
    [['groups', 'list', '0'], 'takes options only\n  did you mean --type 0?'],
    [
      ['completion'],
      'argument shell is missing\n  write posthaul completion <shell>: bash, zsh, fish\n  options',
    ],
    [['completion', 'tcsh'], 'shell is "tcsh": expected bash, zsh, fish\n  options'],
  ])('%j', async (argv, words) => {
    const ran = await runCommand(argv)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(words)
  })
})

describe('the environment and the config file are held to the same', () => {
  const WRONG = [
    ['region', 'POSTHOG_REGION', 'uk', 'expected us or eu'],
    ['host', 'POSTHOG_HOST', 'ftp://ph.example.com', 'keys would travel in the clear'],
    ['ingestHost', 'POSTHOG_INGEST_HOST', 'https://ph.example.com/x', 'has a path'],
    ['projectId', 'POSTHOG_PROJECT_ID', '../2', 'expected the number'],
  ] as const
  // The file of a run says where its events go; its options are for the first file.
  const reads = (name: string, key: string) => {
    const flag = `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    return (
      !name.startsWith('export') &&
      !['sandbox', 'run'].includes(name) &&
      (shown.get(name)!.some((option) => option.flag === flag) || (name === 'import' && key === 'projectId'))
    )
  }

  test.each(LEAVES)('%s', async (name) => {
    for (const [key, variable, wrong, words] of WRONG) {
      if (!reads(name, key)) continue
      const said = await refused(name, '', [], { [variable]: wrong })
      expect(said).toContain(variable)
      expect(said).toContain(words)
      const config = join(folder, 'wrong.json')
      await writeFile(config, JSON.stringify({ [key]: wrong }))
      const filed = await refused(name, '', ['--config', config], { POSTHOG_HOST: '' })
      expect(filed).toContain(`${key} in ${config}`)
      expect(filed).toContain(words)
    }
  })

  test('a cap that only its lanes make too small says so, wherever it came from', async () => {
    const config = join(folder, 'caps.json')
    await writeFile(config, '{"import":{"maxEventsPerMinute":9}}')
    const said = await refused('import', '', ['--config', config, '--lanes', '8'])
    expect(said).toContain(
      `import.maxEventsPerMinute in ${config} is "9": expected a whole number from 10 on`,
    )
    await writeFile(config, '{"import":{"maxEvents":20000001}}')
    expect(await refused('import', '', ['--config', config])).toContain(
      `import.maxEvents in ${config} is over 20,000,000 events`,
    )
  })
})

test('what takes several values takes them together and one by one', async () => {
  const other = join(folder, 'other.ndjson')
  await writeFile(other, '{"event":"b","properties":{"distinct_id":"u"}}\n')
  const events = join(folder, 'events.ndjson')
  for (const inputs of [
    ['--in', events, other],
    ['--in', events, '--in', other],
    [`--in=${events}`, `--in=${other}`],
  ]) {
    const argv = ['transform', '--preset', 'posthog', ...inputs, '--dry-run', '--json']
    const { stdout } = await runCommand(argv, { built: true })
    expect(JSON.parse(stdout).counts.read).toBe(2)
  }
})
