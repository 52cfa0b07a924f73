import { expect, test } from 'vitest'
import { settingsFor } from '../../../src/sources/clickhouse/clickhouse-settings.ts'

const server = (settings: Readonly<Record<string, string>>) =>
  Object.entries({
    version: '26.7.2.1',
    readonly: '0',
    date_time_output_format: 'simple',
    output_format_json_quote_denormals: '0',
    timeout_overflow_mode: 'throw',
    ...settings,
  })
    .map(([name, value]) => `${name}\t${value}\n`)
    .join('')

test('only what the server knows and has otherwise is sent', () => {
  expect(settingsFor(server({ output_format_json_quote_64bit_integers: '0' }))).toEqual({
    readonly: '2',
    date_time_output_format: 'iso',
    output_format_json_quote_denormals: '1',
  })
})

test('a user who may not write keeps readonly = 2', () => {
  expect(settingsFor(server({ readonly: '2' }))).not.toHaveProperty('readonly')
})

test.each(['timeout_overflow_mode', 'result_overflow_mode', 'read_overflow_mode_leaf'])(
  'a limit that cuts rows off in silence is made to throw: %s',
  (mode) => {
    expect(settingsFor(server({ [mode]: 'break' }))).toMatchObject({ [mode]: 'throw' })
  },
)

test('a LIMIT for all statements is taken off, and what would put U+FFFD in place of bytes', () => {
  const sent = settingsFor(server({ limit: '10', offset: '5', output_format_json_validate_utf8: '1' }))
  expect(sent).toMatchObject({ limit: '0', offset: '0', output_format_json_validate_utf8: '0' })
})

test('a user who may set nothing does without what is not needed', () => {
  const form = { date_time_output_format: 'iso', output_format_json_quote_denormals: '1' }
  expect(settingsFor(server({ ...form, readonly: '1', http_send_timeout: '30' }))).toEqual({})
  expect(() => settingsFor(server({ ...form, readonly: '1', limit: '10' }))).toThrow(/may change no setting/)
})

test('a server that writes no times with their zone is too old', () => {
  expect(() => settingsFor('version\t18.16.1\nreadonly\t0\n')).toThrow(/18\.16\.1 is too old/)
})
