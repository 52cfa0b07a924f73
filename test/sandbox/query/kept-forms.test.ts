import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KeptForms } from '../../../src/sandbox/query/parse.ts'
import { testFolder } from '../../helpers/folder.ts'

const FORM = 'SELECT 1 FROM events'

test('a slow form is kept for the next process, a quick one is not', () => {
  const XDG_CACHE_HOME = testFolder()
  const kept = new KeptForms({ XDG_CACHE_HOME })
  kept.keep(FORM, '{"node":1}', 1)
  expect(kept.find(FORM)).toBeUndefined()
  kept.keep(FORM, '{"node":1}', 1000)
  expect(new KeptForms({ XDG_CACHE_HOME }).find(FORM)).toBe('{"node":1}')
  expect(kept.find(`${FORM} LIMIT 1`)).toBeUndefined()
})

test('a file that is cut short is not read', () => {
  const XDG_CACHE_HOME = testFolder()
  const kept = new KeptForms({ XDG_CACHE_HOME })
  kept.keep(FORM, '{"node":1}', 1000)
  const [name] = readdirSync(XDG_CACHE_HOME, { recursive: true, encoding: 'utf8' }).filter((one) =>
    one.endsWith('.json'),
  )
  writeFileSync(join(XDG_CACHE_HOME, name!), '{"no')
  expect(kept.find(FORM)).toBeUndefined()
})

test('a home that is a file or can’t be written to changes nothing', () => {
  const folder = testFolder()
  writeFileSync(join(folder, 'file'), '')
  const kept = new KeptForms({ XDG_CACHE_HOME: join(folder, 'file') })
  kept.keep(FORM, '{}', 1000)
  chmodSync(folder, 0o500)
  new KeptForms({ XDG_CACHE_HOME: folder }).keep(FORM, '{}', 1000)
  chmodSync(folder, 0o700)
  expect(kept.find(FORM)).toBeUndefined()
})
