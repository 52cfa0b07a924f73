import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { redactorOf } from '../../src/http/redact.ts'
import { REDACTED, Secret } from '../../src/http/secret.ts'
import { seeded } from '../helpers/random.ts'

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
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e6))
    const random = seeded(seed)
    const string = (length: number) =>
      Array.from({ length }, () => String.fromCharCode(33 + Math.floor(random() * 94))).join('')
    for (let round = 0; round < 300; round++) {
      const secret = string(8 + Math.floor(random() * 60))
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

test('what holds no secret is left as it is', () => {
  const page = `{"results":[{"id":7,"name":"caf\\u00e9 %2B"}],"token":"${Buffer.from('phx_very').toString('base64')}"}`
  expect(text(page)).toBe(page)
  expect(redactorOf([]).text(page)).toBe(page)
  expect(redactorOf([new Secret('', 'a test')]).text(page)).toBe(page)
})

test('an error is copied without it, causes included', () => {
  const cause = Object.assign(new Error(`the header ${KEY}`), { code: 'E_HEADER', header: KEY })
  const clean = error(new TypeError(`cannot send ${KEY}`, { cause }))
  expect(clean).toMatchObject({ name: 'TypeError', message: `cannot send ${REDACTED}` })
  expect(clean.cause).toMatchObject({ message: `the header ${REDACTED}`, code: 'E_HEADER' })
  expect(inspect(clean, { depth: 9, showHidden: true })).not.toContain('very')
})
