import { VendorError } from '../vendor-client.ts'

/**
 * How values are written and that none are left out: what a server or a user's profile has otherwise would change them in
 * silence. Names and meanings: https://clickhouse.com/docs/operations/settings/formats, tried on 26.7.
 */
const FORM: Readonly<Record<string, string>> = {
  date_time_output_format: 'iso',
  date_time_64_output_format_cut_trailing_zeros_align_to_groups_of_thousands: '0',
  output_format_decimal_trailing_zeros: '1',
  // As bare digits: their tokens are copied, and no number is made of them.
  output_format_json_quote_64bit_integers: '0',
  output_format_json_quote_64bit_floats: '0',
  output_format_json_quote_decimals: '0',
  // Without it NaN looks like NULL.
  output_format_json_quote_denormals: '1',
  output_format_json_escape_forward_slashes: '0',
  output_format_json_named_tuples_as_objects: '1',
  output_format_json_skip_null_value_in_named_tuples: '0',
  output_format_json_map_as_array_of_tuples: '0',
  // It would put U+FFFD where bytes are not UTF-8.
  output_format_json_validate_utf8: '0',
  limit: '0',
  offset: '0',
  extremes: '0',
}

/** How a statement runs: it does without where it may not have them. */
const MANNER: Readonly<Record<string, string>> = {
  cancel_http_readonly_queries_on_client_close: '1',
  http_write_exception_in_output_format: '0',
  send_progress_in_http_headers: '0',
  // Seconds. Rows are read as slowly as --rows-per-second says.
  http_send_timeout: '3600',
}

/** A server without these is too old to write times whole. */
const LEAST = ['date_time_output_format', 'output_format_json_quote_denormals']

/** Names and values of the settings that matter, and the server's version. */
export const SETTINGS_QUERY = `SELECT 'version', version() UNION ALL SELECT name, value FROM system.settings WHERE name IN (${[
  'readonly',
  ...Object.keys({ ...FORM, ...MANNER }),
]
  .map((name) => `'${name}'`)
  .join(', ')}) OR name LIKE '%overflow_mode%' FORMAT TabSeparated`

/**
 * The settings to send: of those that the server knows the ones that it has otherwise, for a user who may change settings
 * may not always set what is set already. `text`: what it answers to SETTINGS_QUERY. Throws a VendorError for a server that is too old
 * and a user who may not change what must be changed.
 */
export function settingsFor(text: string): Record<string, string> {
  const has = new Map(
    text.split('\n').map((line): [string, string] => {
      const [name = '', value = ''] = line.split('\t')
      return [name, value]
    }),
  )
  const lacking = LEAST.find((name) => !has.has(name))
  if (lacking !== undefined) {
    throw new VendorError(`ClickHouse ${has.get('version')} is too old: it has no ${lacking}`, {
      code: 'config',
      hint: 'export its tables to files with clickhouse-client, FORMAT JSONEachRow, and read these',
    })
  }
  // A limit with the mode `break` or `any` cuts rows off and reports nothing.
  const modes = [...has.keys()].filter((name) => name.includes('overflow_mode'))
  const must = otherwise(has, { ...FORM, ...Object.fromEntries(modes.map((name) => [name, 'throw'])) })
  const [isFixed, isFree] = [has.get('readonly') === '1', has.get('readonly') === '0']
  if (!isFixed) return { ...(isFree && { readonly: '2' }), ...must, ...otherwise(has, MANNER) }
  if (Object.keys(must).length === 0) return {}
  throw new VendorError(
    'the user of ClickHouse may change no setting (readonly = 1), and rows would not come as they are',
    {
      code: 'config',
      lines: Object.entries(must).map(
        ([name, value]) => `${name} must be '${value}' and is '${has.get(name)}'`,
      ),
      hint: 'ask for readonly = 2, which allows no writing either: ALTER USER reader SETTINGS readonly = 2',
    },
  )
}

function otherwise(has: ReadonlyMap<string, string>, wanted: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => has.has(name) && has.get(name) !== value),
  )
}
