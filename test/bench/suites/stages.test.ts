import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PLACES } from './stages.ts'

test('the stages name files that there are', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((name) => `/${name}`)
  const packages = readdirSync('node_modules').map((name) => `/${name}/`)
  const gone = PLACES.filter(([place]) => ![...files, ...packages].some((path) => path.includes(place)))
  expect(gone).toEqual([])
})
