import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { PosthaulError } from '../../../src/errors.ts'
import { mysqlAddress } from '../../../src/sources/mysql/mysql-address.ts'
import { testFolder } from '../../helpers/folder.ts'

const read = (url: string) => mysqlAddress({ env: { MYSQL_URL: url }, stdin: Readable.from([]) })

async function refusal(url: string): Promise<string> {
  const error = await read(url).catch((error: unknown) => error)
  if (!(error instanceof PosthaulError)) throw new Error(`expected a PosthaulError: ${String(error)}`)
  return `${error.code}: ${error.message}; ${error.hint}; ${String(error.cause)}`
}

describe('the address of MySQL', () => {
  test('has odd characters decoded, and a server without its login', async () => {
    const { login, server } = await read('mysql://re%40der:p%3A%2F%23%25%20%C3%BC@db.example.com/sh%C3%B6p')
    expect(login).toMatchObject({
      user: 're@der',
      password: 'p:/#% ü',
      database: 'shöp',
      host: 'db.example.com',
    })
    expect(server).toBe('db.example.com:3306/shöp')
  })

  test('can be of version 6 or a socket', async () => {
    expect(await read('mariadb://u:p@[::1]:33/d')).toMatchObject({
      login: { host: '::1', port: 33 },
      server: '[::1]:33/d',
    })
    const { login, server } = await read('mysql://u@localhost/d?socket=/run/mysqld/mysqld.sock')
    expect(login).toEqual({ socketPath: '/run/mysqld/mysqld.sock', user: 'u', password: '', database: 'd' })
    expect(server).toBe('/run/mysqld/mysqld.sock/d')
  })

  test.each([
    ['mysql://u:secret-pass@db.example.com/d', true],
    ['mysql://u:secret-pass@localhost/d?tls=verify', true],
    ['mysql://u:secret-pass@localhost/d', false],
    ['mysql://u:secret-pass@127.0.0.1/d', false],
    ['mysql://u:secret-pass@db.example.com/d?tls=disable', false],
  ])('%s is verified: %s', async (url, isVerified) => {
    const { ssl } = (await read(url)).login
    expect(ssl).toEqual(isVerified ? { rejectUnauthorized: true, verifyIdentity: true } : undefined)
  })

  test('names a file of an authority', async () => {
    const path = join(testFolder(), 'ca.pem')
    writeFileSync(path, 'an authority')
    const { ssl } = (await read(`mysql://u@localhost/d?tls-ca=${path}`)).login
    expect(ssl).toMatchObject({ rejectUnauthorized: true, ca: Buffer.from('an authority') })
    expect(await refusal(`mysql://u@localhost/d?tls-ca=${path}x`)).toMatch(/ca\.pemx \(tls-ca of MYSQL_URL\)/)
  })

  test.each([
    'mysql://u:secret-pa#ss@host/d',
    'mysql://u:secret-pa/ss@host/d',
    'mysql://u:secret-pa?ss@host/d',
    'mysql://u:secret-pass%@host/d',
    'mysql://:secret-pass@host/d',
    'http://u:secret-pass@host/d',
    'secret-pass',
  ])('%s is refused without showing it', async (url) => {
    const said = await refusal(url)
    expect(said).toMatch(/^config: MYSQL_URL (?:can not be read|has no user|has a %|begins with http:)/)
    expect(said).not.toContain('secret-pa')
  })

  test('says what options there are', async () => {
    expect(await refusal('mysql://u@host/d?ssl-mode=REQUIRED')).toMatch(
      /ssl-mode; leave it out: known are tls, tls-ca, socket/,
    )
    expect(await refusal('mysql://u@host/d?tls=maybe')).toMatch(/tls=verify or tls=disable/)
    expect(await refusal('mysql://u@192.168.0.9/d')).toMatch(/192\.168\.0\.9, and TLS needs a name/)
    expect(await refusal('')).toMatch(/^auth: .*set MYSQL_URL/)
  })
})
