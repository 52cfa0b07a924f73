import { describe, expect, expectTypeOf, test } from 'vitest'
import { OPEN_EVENTS, OPEN_PER_MINUTE } from '../../src/delivery/pacer.ts'
import {
  ARRIVAL_WAIT,
  DRAIN,
  MAX_EVENTS,
  MAX_EVENTS_PER_MINUTE,
  SINGLE_WRITER,
} from '../../src/options/import-rows.ts'
import { helpOf, required, row, withoutFlag } from '../../src/options/row.ts'
import { CONFIG } from '../../src/options/service-rows.ts'
import { readText, wholeNumber } from '../../src/options/values.ts'
import { runCommand } from '../helpers/command.ts'
import { optionsOf } from '../helpers/options.ts'
import { unfolded } from '../helpers/unfolded.ts'

// The keys are those of real settings: a config file may hold no other.
const LANES = row({
  flag: '--most-lanes <n>',
  env: 'LANES',
  config: 'import.lanes',
  parse: wholeNumber(1),
  default: '7',
  help: 'lanes',
})
const REGION = row({
  flag: '--region <name>',
  env: 'REGION',
  config: 'region',
  choices: ['us', 'eu'],
  help: 'region',
})
const SEVERAL = row({ flag: '--in <path...>', help: 'inputs' })
const GZIP = row({ flag: '--gzip', help: 'compress' })

describe('a value comes from', () => {
  test.each([
    ['an argument', { argv: ['--most-lanes', '3'], env: { LANES: '2' } }, 3, 'cli', '--most-lanes'],
    ['the environment', { env: { LANES: '2' } }, 2, 'env', 'LANES'],
    [
      'the config file',
      { env: { LANES: '' } },
      1,
      'config',
      expect.stringMatching(/^import\.lanes in .*mine/),
    ],
  ])('%s', async (_, given, value, source, from) => {
    const { values, resolved } = await optionsOf([LANES, CONFIG], {
      ...given,
      config: { import: { lanes: 1 } },
    })
    expect(values.mostLanes).toBe(value)
    expect(resolved.mostLanes).toEqual({ value, source, from })
  })

  test('nowhere: the default, or nothing', async () => {
    const { values, resolved } = await optionsOf([LANES, REGION, SEVERAL, GZIP])
    expect(values).toEqual({ mostLanes: 7, in: [], gzip: false })
    expect(resolved.mostLanes).toEqual({ value: 7, source: 'default', from: 'the default' })
    expect(resolved.region).toBeUndefined()
    expectTypeOf(values.mostLanes).toEqualTypeOf<number>()
    expectTypeOf(values.region).toEqualTypeOf<'us' | 'eu' | undefined>()
    expectTypeOf(values.in).toEqualTypeOf<readonly string[]>()
    expectTypeOf(values.gzip).toEqualTypeOf<boolean>()
  })

  test('a flag that begins with --no-, as a switch of that name', async () => {
    const SKIP = row({ flag: '--no-check', help: 'skip the check' })
    const { values } = await optionsOf([SKIP], { argv: ['--no-check'] })
    expect(values).toEqual({ noCheck: true })
    expectTypeOf(values.noCheck).toEqualTypeOf<boolean>()
    expect((await optionsOf([SKIP])).values.noCheck).toBe(false)
  })

  test('a variable or a setting alone, where there is no flag', async () => {
    const quiet = [withoutFlag(REGION)] as const
    expect((await optionsOf(quiet, { env: { REGION: 'eu' } })).values.region).toBe('eu')
    await expect(optionsOf(quiet, { argv: ['--region', 'eu'] })).rejects.toThrow('unknown option')
    expect((await optionsOf([...quiet, CONFIG], { config: { region: 'us' } })).values.region).toBe('us')
  })
})

test.each([
  ['--arrival-wait', { import: { arrivalWait: '0' } }, 'POSTHAUL_ARRIVAL_WAIT', ARRIVAL_WAIT, 0],
  ['--drain', { import: { drain: '1m' } }, 'POSTHAUL_DRAIN', DRAIN, 60_000],
  ['--single-writer', { import: { singleWriter: true } }, 'POSTHAUL_SINGLE_WRITER', SINGLE_WRITER, true],
] as const)(
  '%s is a setting of the config file, and says so',
  async (flag, config, variable, setting, value) => {
    const { values } = await optionsOf([setting, CONFIG], { config })
    expect(Object.values(values)).toContain(value)
    const usual = await optionsOf([setting])
    expect(Object.values(usual.values)).toEqual([readText(setting, setting.default, 'the default')])
    const { code, stderr } = await runCommand(['import', '--file', 'events.ndjson', flag])
    const shape = JSON.stringify(config)
      .replace(/:[^:{]*$/, '')
      .replaceAll('{', '{ ')
      .replaceAll(':', ': ')
    expect([code, unfolded(stderr)]).toEqual([2, expect.stringContaining(`it is a setting: ${shape}: … }`)])
    expect(unfolded(stderr)).toContain(`in posthaul.config.json, or ${variable} in the environment`)
  },
)

test('a required option comes from anywhere but the default', async () => {
  for (const needed of [required(REGION), required(SEVERAL)]) {
    await expect(optionsOf([needed])).rejects.toMatchObject({
      code: 'usage',
      message: `${needed.flag.split(' ')[0]} is missing`,
      hint: `add ${needed.flag}: ${needed.help}`,
    })
  }
  expect((await optionsOf([required(REGION)], { env: { REGION: 'us' } })).values.region).toBe('us')
})

test('several values keep their order', async () => {
  const argv = ['--in', 'a', 'b', '--gzip', '--in=c', '--gzip']
  expect((await optionsOf([SEVERAL, GZIP], { argv })).values).toEqual({ in: ['a', 'b', 'c'], gzip: true })
})

test.each([
  [GZIP, 'compress'],
  [required(SEVERAL), 'inputs (required)'],
  [LANES, 'lanes (default: 7; env: LANES)'],
  [REGION, 'region (us or eu; env: REGION)'],
  [
    { ...REGION, choices: ['a', 'b', 'c'], otherwise: 'as it comes' },
    'region (a, b or c; default: as it comes; env: REGION)',
  ],
])('help says choices and defaults in one way: %j', (shown, help) => expect(helpOf(shown)).toBe(help))

test('the default caps are those above which the service must approve an import', () => {
  expect(wholeNumber(1)(MAX_EVENTS_PER_MINUTE.default)).toBe(OPEN_PER_MINUTE)
  expect(wholeNumber(1)(MAX_EVENTS.default)).toBe(OPEN_EVENTS)
})
