import { describe, expect, test } from 'vitest'
import { proxyOf } from '../../src/http/proxy.ts'

const ALL = { HTTPS_PROXY: 'http://secure.proxy:3128', HTTP_PROXY: 'http://plain.proxy:3128' }
const US = 'https://us.posthog.com'
const originOf = (target: string, env: NodeJS.ProcessEnv) => proxyOf(target, env)?.origin

describe('which proxy a request goes through', () => {
  test.each<[string, NodeJS.ProcessEnv, string | undefined]>([
    [US, {}, undefined],
    [US, ALL, 'http://secure.proxy:3128'],
    ['http://minio.lan:9000', ALL, 'http://plain.proxy:3128'],
    ['http://minio.lan:9000', { HTTPS_PROXY: 'http://secure.proxy:3128' }, undefined],
    [US, { HTTP_PROXY: 'http://plain.proxy:3128' }, 'http://plain.proxy:3128'],
    [US, { ...ALL, https_proxy: 'http://small.proxy' }, 'http://small.proxy'],
    [US, { HTTPS_PROXY: ' ', https_proxy: '' }, undefined],
    [US, { HTTPS_PROXY: 'proxy.lan:8080' }, 'http://proxy.lan:8080'],
    [US, { HTTPS_PROXY: 'https://proxy.lan/' }, 'https://proxy.lan'],
  ])('%s with %j: %s', (target, env, origin) => expect(originOf(target, env)).toBe(origin))

  test.each([
    'http://localhost:8010',
    'https://localhost',
    'http://127.0.0.1:1',
    'https://127.8.9.1',
    'http://[::1]:80',
  ])('never one to this machine: %s', (target) => {
    for (const noProxy of [undefined, '', 'example.com']) {
      expect(
        originOf(target, { ...ALL, ...(noProxy !== undefined && { NO_PROXY: noProxy }) }),
      ).toBeUndefined()
    }
  })

  test.each([
    ['us.posthog.com', true],
    ['US.PostHog.com', true],
    ['posthog.com', true],
    ['.posthog.com', true],
    ['*.posthog.com', true],
    ['a.test, posthog.com', true],
    ['a.test posthog.com', true],
    ['us.posthog.com:443', true],
    ['*', true],
    ['a.test,*', true],
    ['us.posthog.com:8443', false],
    ['hog.com', false],
    ['eu.posthog.com', false],
    ['posthog.com.evil.test', false],
    [',', false],
  ])('none to what NO_PROXY names: %s, %s', (list, excepted) => {
    expect(originOf(US, { ...ALL, NO_PROXY: list }) === undefined).toBe(excepted)
    expect(originOf(US, { ...ALL, NO_PROXY: 'else.test', no_proxy: list }) === undefined).toBe(excepted)
  })
})

test('user and password go into a header, and are secrets', () => {
  const proxy = proxyOf(US, { HTTPS_PROXY: 'http://me:p%40ss@proxy.lan:8080' })!
  expect(proxy.origin).toBe('http://proxy.lan:8080')
  expect(proxy.authorization?.reveal()).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`)
  expect(proxy.secrets.map((secret) => secret.reveal())).toEqual(['me:p@ss', 'p@ss'])
})

test.each([
  'socks5://me:hush@proxy.lan',
  'http://me:hush@',
  'http://me:hush%zz@proxy.lan',
  'http://me:hush@a b',
])('the address %s is refused by the name of its variable, and not repeated', (address) => {
  let error: unknown
  try {
    proxyOf(US, { https_proxy: address })
  } catch (caught) {
    error = caught
  }
  expect(error).toMatchObject({ code: 'config', message: 'https_proxy is not the address of an http proxy' })
  expect((error as Error).cause).toBeUndefined()
})
