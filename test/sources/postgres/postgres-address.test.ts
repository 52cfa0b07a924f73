import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { postgresAddress } from '../../../src/sources/postgres/postgres-address.ts'
import { testFolder } from '../../helpers/folder.ts'

const read = (POSTGRES_URL: string) => postgresAddress({ env: { POSTGRES_URL }, stdin: process.stdin })

test('an address has host, port, database and login, with their signs', async () => {
  const address = await read('postgresql://us%40er:p%2Fa%25%20%C3%A9@db.example.com:6432/my%20shop')
  expect(address).toMatchObject({ host: 'db.example.com', port: 6432, database: 'my shop', user: 'us@er' })
  expect(address.password?.reveal()).toBe('p/a% é')
  expect(address.server).toBe('db.example.com:6432/my shop')
})

test('what an address leaves out is as usual', async () => {
  expect(await read('postgres://localhost')).toMatchObject({
    ...{ host: 'localhost', port: 5432, user: userInfo().username, database: userInfo().username },
    password: undefined,
  })
  expect(await read('postgres://me@[::1]/shop')).toMatchObject({
    host: '::1',
    server: '[::1]:5432/shop',
    tls: false,
  })
})

test.each([
  'postgres://me@/shop?host=/run/postgresql',
  'postgres:///shop?host=/run/postgresql&user=me',
  'postgres://me@%2Frun%2Fpostgresql/shop',
])('%s is a unix socket', async (url) => {
  expect(await read(url)).toMatchObject({ host: '/run/postgresql', user: 'me', database: 'shop', tls: false })
})

test.each([
  ['postgres://u@db.example.com/x', { rejectUnauthorized: true }],
  ['postgres://u@db.example.com/x?sslmode=prefer', { rejectUnauthorized: true }],
  ['postgres://u@db.example.com/x?sslmode=require&channel_binding=require', { rejectUnauthorized: true }],
  ['postgres://u@db.example.com/x?sslmode=no-verify', { rejectUnauthorized: false }],
  ['postgres://u@db.example.com/x?sslmode=disable', false],
  ['postgres://u@127.0.0.1/x', false],
  ['postgres://u@localhost/x?sslmode=prefer', false],
  ['postgres://u@localhost/x?sslmode=require', { rejectUnauthorized: true }],
  // A name that looks like this machine's is another's.
  ['postgres://u@localhost.example.com/x', { rejectUnauthorized: true }],
])('%s: TLS is verified but where the address says otherwise', async (url, tls) => {
  expect((await read(url)).tls).toEqual(tls)
})

test('an authority of its own is a file', async () => {
  const path = join(testFolder(), 'ca.pem')
  writeFileSync(path, 'the authority')
  expect((await read(`postgres://u@localhost/x?sslrootcert=${path}`)).tls).toEqual({
    ...{ rejectUnauthorized: true, ca: Buffer.from('the authority') },
  })
  await expect(read(`postgres://u@db/x?sslrootcert=${path}.gone`)).rejects.toThrow(
    /ca\.pem\.gone \(sslrootcert/,
  )
})

test.each([
  'postgres://user:se#cret@db/shop',
  'postgres://user:se/cret@db/shop',
  'postgres://user:12/cret@db/shop',
  'postgres://user:12?cret@db/shop',
  'postgres://user:12#cret@db/shop',
  'postgres://user:se%zzcret@db/shop',
  'postgres://user:cret@one:5432,two:5432/shop',
  'mysql://user:cret@db/shop',
  'postgres://user:cret@db/shop?sslmode=cret',
])('%s is refused without a word of it', async (url) => {
  const error = await read(url).catch((thrown: unknown) => thrown as Error & { code: string; hint: string })
  expect(error).toMatchObject({ code: 'config' })
  expect(`${(error as Error).stack} ${JSON.stringify(error)}`).not.toContain('cret@')
  expect((error as Error).message).not.toContain('cret')
})

test('a parameter that is not known is named', async () => {
  await expect(read('postgres://u:secret@db/x?pgbouncer=true')).rejects.toThrow(
    'POSTGRES_URL has the parameter pgbouncer',
  )
  await expect(postgresAddress({ env: {}, stdin: process.stdin })).rejects.toMatchObject({ code: 'auth' })
})
