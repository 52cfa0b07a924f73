import { VendorError } from '../vendor-client.ts'

// Codes: https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp
const LOGIN = ['192', '193', '194', '516']
const RIGHT = ['291', '497']
/** Limits of the server or the user that a smaller reading keeps. */
const LIMITS = ['158', '159', '160', '241', '307', '396']
/** What passes by itself: a server that is busy, that stops, or that has lost another one. */
const PASSING = ['201', '202', '203', '209', '210', '236', '279', '394', '425', '439', '999']

/** The error of a statement that the server refused or broke off. `words`: its own, without secrets. */
export function serverError(code: string, words: string): VendorError {
  const said = `ClickHouse: ${words
    .replaceAll(/\s+/g, ' ')
    .replace(/[. ]+$/, '')
    .slice(0, 600)} (code ${code})`
  if (LOGIN.includes(code)) {
    const hint = 'check user and password in CLICKHOUSE_URL: write %40 for @, %2F for /, %25 for %'
    return new VendorError(said, { code: 'auth', hint })
  }
  if (RIGHT.includes(code)) return new VendorError(said, { code: 'auth', hint: 'have the right granted' })
  // The memory of all statements together is free again later.
  if (PASSING.includes(code) || (code === '241' && /\(total\)/.test(words))) {
    return new VendorError(said, { code: 'unavailable', fate: 'retry' })
  }
  const hint = LIMITS.includes(code)
    ? 'read less at once: a smaller --window, or have the limit raised'
    : undefined
  return new VendorError(said, { code: 'config', ...(hint && { hint }) })
}
