import { expect, test } from 'vitest'
import { nextPath } from '../../src/service/next-page.ts'

const ORIGIN = 'https://ph.example.com'
const HERE = '/api/projects/1/groups/?group_type_index=0'

test.each([
  [
    'https://ph.example.com/api/projects/1/groups/?cursor=a%3D&group_type_index=0',
    '/api/projects/1/groups/?cursor=a%3D&group_type_index=0',
  ],
  ['/api/projects/1/groups/?cursor=a', '/api/projects/1/groups/?cursor=a'],
  ['?cursor=a', '/api/projects/1/groups/?cursor=a'],
  ['cD0yMDI0LTAx==', '/api/projects/1/groups/?group_type_index=0&cursor=cD0yMDI0LTAx%3D%3D'],
])('%s', (next, path) => expect(nextPath(next, ORIGIN, HERE)).toBe(path))

test.each([
  'https://evil.example.org/api/projects/1/groups/?cursor=a',
  'http://ph.example.com/api/projects/1/groups/?cursor=a',
  'https://ph.example.com:8443/api/',
  '//evil.example.org/api/',
  'https://ph.example.com@evil.example.org/',
  'file:///etc/passwd',
])('%s is elsewhere', (next) => expect(() => nextPath(next, ORIGIN, HERE)).toThrow('keys are not sent there'))
