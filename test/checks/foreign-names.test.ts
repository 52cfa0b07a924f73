import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isForeignEvent, isForeignProperty } from '../../src/checks/foreign-names.ts'

const FIXTURES = new URL('../../fixtures/', import.meta.url)

interface Names {
  readonly events: Set<string>
  readonly properties: Set<string>
}

/** The names with a `$` that presets make in the fixtures of all vendors; those of the record itself are left out. */
function madeByPresets(): Names {
  const names: Names = { events: new Set(), properties: new Set() }
  for (const vendor of readdirSync(FIXTURES)) {
    const folder = new URL(`${vendor}/valid/`, FIXTURES)
    if (!existsSync(folder)) continue
    for (const file of readdirSync(folder)) {
      const { input, expected } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
      const source = JSON.stringify(input)
      const isMade = (name: string) => name.startsWith('$') && !source.includes(name)
      for (const line of [expected].flat().filter((line) => typeof line === 'string')) {
        const { event, properties } = JSON.parse(line)
        if (isMade(event)) names.events.add(event)
        const inside = [properties, properties.$set ?? {}, properties.$set_once ?? {}]
        for (const name of inside.flatMap(Object.keys)) if (isMade(name)) names.properties.add(name)
      }
    }
  }
  return names
}

test('no name that a preset makes is taken for one that no rule has renamed', () => {
  const { events, properties } = madeByPresets()
  expect(properties.size).toBeGreaterThan(100)
  expect([...events].filter(isForeignEvent)).toEqual([])
  expect([...properties].filter(isForeignProperty)).toEqual([])
})

test.each(['$ae_session', '$mp_click', '$custom', '$'])('%s is no event of the service', (name) => {
  expect(isForeignEvent(name)).toBe(true)
})

test.each(['$brand', '$ae_updated_version', '$duration'])('%s is no property of the service', (name) => {
  expect(isForeignProperty(name)).toBe(true)
})

test('names without a dollar sign are the user’s own', () => {
  expect([isForeignEvent('ae_session'), isForeignProperty('brand')]).toEqual([false, false])
})
