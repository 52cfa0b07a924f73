import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { GUARDS } from '../../src/guards/guards.ts'
import { ROOT } from '../helpers/markdown.ts'
import { MUTATIONS } from './mutations/table.ts'

// `npm run mutations` runs the table. This holds that it still fits the source and the tests.
test.each(MUTATIONS)(
  'the mutation "$name" fits the source, and its test is there',
  ({ file, find, replace, test }) => {
    expect(readFileSync(join(ROOT, file), 'utf8').split(find).length - 1, `${find}\nin ${file}`).toBe(1)
    expect(replace).not.toBe(find)
    expect(test.name).not.toBe('')
    expect(readFileSync(join(ROOT, test.file), 'utf8')).toContain(test.name)
  },
)

test('each mutation has a name of its own', () => {
  const names = MUTATIONS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test('each finding that refuses a command is broken by a mutation', () => {
  const refusing = GUARDS.flatMap(({ codes }) =>
    Object.keys(codes).filter((code) => codes[code]!.level === 'error'),
  )
  expect(MUTATIONS.flatMap(({ code = [] }) => code).sort()).toEqual(refusing.sort())
})
