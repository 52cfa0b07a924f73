import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { redactorOf } from '../../src/http/redact.ts'
import { REDACTED, Secret } from '../../src/http/secret.ts'
import { seeded, seedOf } from '../helpers/random.ts'

const KEY = 'phx_very+secret/key"=?'
const { text, error } = redactorOf([new Secret(KEY, 'a test')])

const upper = (encoded: string) =>
  encoded.replaceAll(/%..|\\u..../g, (hit) => hit.toUpperCase().replace('\\U', '\\u'))
const unicode = (value: string) =>
  value.replaceAll(/\W/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

describe('a secret is taken out', () => {
  test.each<[string, string]>([
    ['as it is', KEY],
    ['in an address', encodeURIComponent(KEY)],
    ['in an address, in lower case', encodeURIComponent(KEY).toLowerCase()],
    ['in an address within an address', encodeURIComponent(encodeURIComponent(KEY))],
    ['with each byte percent-encoded', KEY.replaceAll(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`)],
    ['in JSON', JSON.stringify(KEY).slice(1, -1)],
    ['in JSON that escapes slashes', JSON.stringify(KEY).slice(1, -1).replaceAll('/', '\\/')],
    ['in JSON that escapes all signs', unicode(KEY)],
    ['the same in upper case', upper(unicode(KEY))],
    ['in JavaScript', KEY.replaceAll(/./g, (c) => `\\x${c.charCodeAt(0).toString(16)}`)],
    ['in HTML, by numbers', KEY.replaceAll(/./g, (c) => `&#${c.charCodeAt(0)};`)],
    ['in HTML, in hex', KEY.replaceAll(/\W/g, (c) => `&#x${c.charCodeAt(0).toString(16)};`)],
    ['in HTML, by names', KEY.replaceAll('"', '&quot;')],
    ['in HTML within HTML', KEY.replaceAll('"', '&amp;quot;')],
    ['in capitals', KEY.toUpperCase()],
    ['in capitals, in an address', encodeURIComponent(KEY).toUpperCase()],
    ['in hex', Buffer.from(KEY).toString('hex')],
    ['in hex, in capitals', Buffer.from(KEY).toString('hex').toUpperCase()],
    ['in JSON within JSON', JSON.stringify(JSON.stringify(KEY)).slice(3, -3)],
  ])('%s', (_, written) => expect(text(`no: ${written} is wrong`)).toBe(`no: ${REDACTED} is wrong`))

  const bytes = (before: string, after: string) => Buffer.from(`${before}${KEY}${after}`)
  test.each(['', 'u', 'us', 'use', 'user:', 'someone@example.com:'])('within base64, after %j', (before) => {
    for (const after of ['', '!', '!!', '!!!', ':password']) {
      const standard = bytes(before, after).toString('base64')
      const urlSafe = bytes(before, after).toString('base64url')
      const forms = [
        standard,
        standard.replaceAll('=', ''),
        urlSafe,
        encodeURIComponent(standard),
        standard.replaceAll('/', '\\/'),
        unicode(standard),
      ]
      for (const form of forms) expect(text(`Basic ${form} no`)).toBe(`Basic ${REDACTED} no`)
    }
  })

  test('whatever it is, and wherever it is in a text', () => {
    const seed = seedOf('redact')
    const random = seeded(seed)
    const string = (length: number) =>
      Array.from({ length }, () => String.fromCharCode(33 + Math.floor(random() * 94))).join('')
    for (let round = 0; round < 100; round++) {
      // The backslash of an escaped quote could be that at the end of a secret.
      const secret = `${string(7 + Math.floor(random() * 60))}.`
      const redactor = redactorOf([new Secret(secret, 'a test')])
      const whole = `${string(Math.floor(random() * 9))}${secret}${string(Math.floor(random() * 9))}`
      const digits = Buffer.from(whole).toString(random() < 0.5 ? 'base64' : 'base64url')
      const out = redactor.text(
        `{"a":${JSON.stringify(secret)},"b":"${digits}","c":"${encodeURIComponent(secret)}"}`,
      )
      expect(out, `seed ${seed}, ${secret}`).toBe(`{"a":"${REDACTED}","b":"${REDACTED}","c":"${REDACTED}"}`)
    }
  })

  test('before a shorter one that is a part of it', () => {
    const both = redactorOf([new Secret('phx_key', 'a'), new Secret('phx_key_longer', 'b')])
    expect(both.text('phx_key_longer and phx_key')).toBe(`${REDACTED} and ${REDACTED}`)
  })
})

test('any twelve characters of a secret in a row are taken out, in each form', () => {
  const secret = 'phx_9rTkQ2vWm7LxZc4Yb8Ns3Hd6Jf1Gp5'
  const redactor = redactorOf([new Secret(secret, 'a test')])
  const forms: ((run: string) => string)[] = [
    (run) => run,
    (run) => run.toUpperCase(),
    (run) => Buffer.from(run).toString('hex'),
    (run) => run.replaceAll(/./g, (c) => `&#${c.charCodeAt(0)};`),
    (run) => Buffer.from(run).toString('base64'),
    (run) => Buffer.from(`a${run}`).toString('base64url'),
    (run) => Buffer.from(`to ${run} or not`).toString('base64'),
  ]
  for (const form of forms) {
    for (let start = 0; start + 12 <= secret.length; start++) {
      const run = form(secret.slice(start, start + 12))
      expect(redactor.text(`a key "${run}…" is wrong`), run).toBe(`a key "${REDACTED}…" is wrong`)
    }
  }
  // As servers quote keys: all but the last few characters.
  for (const cut of [2, 3]) expect(redactor.text(`no ${secret.slice(0, -cut)}**`)).toBe(`no ${REDACTED}**`)
  const eleven = `${secret.slice(4, 15)} is too little, and in capitals: ${secret.slice(9, 20).toUpperCase()}.`
  expect(redactor.text(eleven)).toBe(eleven)
})

test('what holds no secret is left as it is', () => {
  const page = `{"results":[{"id":7,"name":"caf\\u00e9 %2B"}],"token":"${Buffer.from('phx_very').toString('base64')}"}`
  for (const whole of [page, '', '\\', '%', 'a\\\\']) expect(text(whole)).toBe(whole)
  expect(redactorOf([]).text(page)).toBe(page)
  expect(redactorOf([new Secret('', 'a test')]).text(page)).toBe(page)
})

test('an error is copied without it, causes included', () => {
  const cause = Object.assign(new Error(`the header ${KEY}`), { code: 'E_HEADER', header: KEY })
  const clean = error(new TypeError(`cannot send ${KEY}`, { cause }))
  expect(clean).toMatchObject({ name: 'TypeError', message: `cannot send ${REDACTED}` })
  expect(clean.cause).toMatchObject({ message: `the header ${REDACTED}`, code: 'E_HEADER' })
  expect(inspect(clean, { depth: 9, showHidden: true })).not.toContain('phx_very')
})

test('a secret that the end of a text cuts is taken out too, in each form', () => {
  const secret = 'phc_Zq7/Canary\\Of"The?Key%42x9'
  const redactor = redactorOf([new Secret(secret, 'test')])
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    [...secret].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  ]
  for (const form of forms) {
    const least = form.startsWith('\\u') ? 48 : 12
    for (let end = least; end <= form.length; end++) {
      expect(redactor.text(`said ${form.slice(0, end)}`), form.slice(0, end)).toMatch(
        /^said (?:(?!phc|\\u|%).)*$/,
      )
    }
  }
  const coded = Buffer.from(secret).toString('base64')
  for (let end = 12; end <= coded.length; end++)
    expect(redactor.text(coded.slice(0, end))).not.toContain(coded.slice(0, 8))
  expect(redactor.text('phc_Zq is short, and phc_Zq7/Can is not at the end')).toContain('phc_Zq7/Can is')
  const long = 'key'.repeat(300)
  expect(redactorOf([new Secret(long, 'test')]).text(`a ${long.slice(0, 600)}`)).not.toContain('keykey')
})

describe('a secret of many pieces, up to the 4,096 characters that are read at most', () => {
  const random = seeded(7)
  const LONGEST = {
    mixed: Array.from({ length: 4096 }, () => String.fromCharCode(33 + Math.floor(random() * 94))).join(''),
    // The work grows with the square of such a length: a few pieces are enough to show that they fit together.
    'of one character': 'x'.repeat(700),
    'of two that take turns': 'ab'.repeat(350),
  }

  test.each(Object.entries(LONGEST))('%s is taken out in each form', (_, secret) => {
    const redactor = redactorOf([new Secret(secret, 'a test')])
    const forms = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      unicode(secret),
      Buffer.from(`user:${secret}`).toString('base64'),
      Buffer.from(secret).toString('base64url'),
    ]
    for (const form of forms) expect(redactor.text(`said ${form} no`)).toBe(`said ${REDACTED} no`)
  })

  test('is taken out where the text cuts it', () => {
    const { text } = redactorOf([new Secret(LONGEST.mixed, 'a test')])
    const coded = Buffer.from(LONGEST.mixed).toString('base64')
    for (const end of [12, 150, 250, 400, 1951, 2000, 2009, 4000, 4095]) {
      expect(text(`said ${LONGEST.mixed.slice(0, end)}`), String(end)).toBe(`said ${REDACTED}`)
      expect(text(`said ${unicode(LONGEST.mixed.slice(0, end)).slice(0, -1)}`)).toBe(`said ${REDACTED}`)
      expect(text(`said ${coded.slice(0, end)}`), String(end)).toBe(`said ${REDACTED}`)
    }
    expect(text(`its text ends in ${LONGEST.mixed.slice(-3000)}`)).not.toContain(LONGEST.mixed.slice(-150))
  })
})
