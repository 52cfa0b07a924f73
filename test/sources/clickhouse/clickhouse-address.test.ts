import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { clickhouseAddress } from '../../../src/sources/clickhouse/clickhouse-address.ts'

const read = (url: string | undefined) =>
  clickhouseAddress({ env: url === undefined ? {} : { CLICKHOUSE_URL: url }, stdin: new PassThrough() })

describe('CLICKHOUSE_URL', () => {
  test('has a user and a password with any signs, and a database', async () => {
    const { password, ...address } = await read(
      'https://re%20ader:p%40ss%2F%3A%25@db.example.com:8443/web%20logs',
    )
    expect(password?.reveal()).toBe('p@ss/:%')
    expect(address).toEqual({
      origin: 'https://db.example.com:8443',
      database: 'web logs',
      user: 're ader',
      authority: undefined,
      server: 'db.example.com:8443/web logs',
    })
  })

  test('may leave out what is usual', async () => {
    const { password, user, database, server } = await read('http://localhost:8123')
    expect([password?.reveal(), user, database, server]).toEqual([
      undefined,
      'default',
      undefined,
      'localhost:8123',
    ])
  })

  test.each([
    ['no-url', 'can not be read'],
    ['clickhouse://u:hunter2@host:9000/db', 'begins with clickhouse:'],
    ['https://u:hunter2/x@host:8443/db', 'can not be read'],
    ['https://u:hunter2#x@host:8443/db', 'can not be read'],
    ['https://u:12?hunter2@host:8443/db', 'can not be read'],
    ['https://u:hunter2%@host:8443/db', 'has a % that stands for no character'],
    ['https://u:hunter2@host:8443/db?max_threads=1', 'has the parameter max_threads'],
    ['http://u:hunter2@host:8123/db?tls-ca=/ca.pem', 'has tls-ca, but no https://'],
  ])('that is wrong is refused without its words: %s', async (url, message) => {
    const error = await read(url).then(
      () => new Error('it was read'),
      (error: Error) => error,
    )
    expect(error).toMatchObject({ code: 'config', message: expect.stringContaining(message) })
    expect(JSON.stringify(error) + error.message).not.toContain('hunter2')
  })

  test('is asked for where there is none', async () => {
    await expect(read(undefined)).rejects.toMatchObject({ code: 'auth' })
  })
})
