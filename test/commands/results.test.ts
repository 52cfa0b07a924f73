import { expect, test } from 'vitest'
import { RESULTS } from '../../src/commands/results.ts'
import { namesOf } from '../helpers/result-table.ts'
import { assertResults } from '../helpers/results.ts'

const REPORT = {
  version: 1,
  command: 'report',
  datasets: ['events'],
  out: 'report.html',
  bytes: 1,
  asked: null,
  equal: null,
  verdict: null,
  missing: [],
  reduced: [],
}
const holds = (result: object) => assertResults(['report', '--json'], `${JSON.stringify(result)}\n`)

test('a result has all of its members and no other', () => {
  expect(() => holds(REPORT)).not.toThrow()
  expect(() => holds({ ...REPORT, more: 1 })).toThrow('more')
  expect(() => holds({ ...REPORT, bytes: undefined })).toThrow('bytes')
  expect(() => holds({ ...REPORT, equal: 'yes' })).toThrow('equal')
  expect(() => holds({ ...REPORT, command: 'reports' })).toThrow('command')
})

test('what failed before there was a result says why', () => {
  const error = { code: 'input', finding: null, message: 'no such folder', hint: null }
  expect(() => holds({ version: 1, command: 'report', finished: false, error })).not.toThrow()
  expect(() => holds({ version: 1, command: 'report', finished: false, error: null })).toThrow('datasets')
})

test('a result is found by its command', () => {
  const { sandbox: _, ...others } = RESULTS
  for (const [command, result] of Object.entries(others)) expect(result.shape.command.value).toBe(command)
})

test.each(Object.keys(RESULTS))('members of %s are in snake_case', (command) => {
  const { members } = namesOf(command)
  expect([...members].filter((path) => !/^[a-z_0-9.]+$/.test(path))).toEqual([])
})
